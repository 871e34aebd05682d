// A moment, as its distance from now; the exact time is its tooltip.

import { ago, dateTime } from '../format.js';
import { html } from './element.js';

export function when(instant) {
  return instant ? html`<time datetime=${instant} title=${dateTime(instant)}>${ago(instant)}</time>` : '–';
}

export function exactly(instant) {
  return instant ? html`<time datetime=${instant}>${dateTime(instant)}</time> <span class="hint">(${ago(instant)})</span>` : '–';
}
