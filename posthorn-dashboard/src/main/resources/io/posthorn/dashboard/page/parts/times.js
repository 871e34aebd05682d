// A moment, as its distance from now; the exact time is its tooltip.

import { ago, dateTime } from '../format.js';
import { html } from './element.js';

/** Later times stand for: not before something else happens. */
const NEVER = Date.parse('9000-01-01T00:00:00Z');

function known(instant) {
  return instant && Date.parse(instant) < NEVER;
}

export function when(instant) {
  return known(instant) ? html`<time datetime=${instant} title=${dateTime(instant)}>${ago(instant)}</time>` : '–';
}

export function exactly(instant) {
  return known(instant) ? html`<time datetime=${instant}>${dateTime(instant)}</time> <span class="hint">(${ago(instant)})</span>` : '–';
}
