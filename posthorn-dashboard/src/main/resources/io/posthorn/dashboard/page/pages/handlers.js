// The handlers of the fleet: state, rate and latency; pause and resume.

import { get } from '../api.js';
import { ago, duration, rate, whole } from '../format.js';
import { link } from '../route.js';
import { mayAct } from '../session.js';
import { perform } from '../parts/activity.js';
import { confirm } from '../parts/confirm.js';
import { html, nothing } from '../parts/element.js';
import { empty, heading, Page } from '../parts/page.js';

class Handlers extends Page {
  head() {
    return heading('Handlers', 'What receives messages. A pause is for the whole fleet and outlives restarts.');
  }

  async load(signal) {
    const [handlers, overview] = await Promise.all([get('handlers', {}, signal), get('overview', {}, signal)]);
    return handlers.items.map((handler) => ({ ...handler, ...waiting(handler.name, overview.byHandler) }));
  }

  view(handlers) {
    if (handlers.length === 0) {
      return empty('No handlers', 'No live instance has a handler.');
    }
    return html`<div class="table-box"><table class="list">
      <caption class="visually-hidden">Handlers</caption>
      <thead><tr><th scope="col">Handler</th><th scope="col">State</th><th scope="col" class="number">Delivered/s</th><th scope="col" class="number">Failed/s</th>
        <th scope="col" class="number">Time</th><th scope="col" class="number">In memory</th><th scope="col" class="number">Deferred</th>
        <th scope="col" class="number">Dead</th><th scope="col" class="number">Lanes blocked</th>
        ${mayAct() ? html`<th scope="col"><span class="visually-hidden">Actions</span></th>` : nothing}</tr></thead>
      <tbody>${handlers.map((handler) => this.#row(handler))}</tbody>
    </table></div>`;
  }

  #row(handler) {
    const optional = (value, format) => (value === undefined ? '–' : format(value));
    return html`<tr>
      <th scope="row" data-label="Handler"><b>${handler.name}</b><span class="sub">${handler.types.join(', ') || 'decides by itself'}</span></th>
      <td data-label="State">${state(handler)}</td>
      <td class="number" data-label="Delivered/s">${rate(handler.deliveredPerSecond)}</td>
      <td class="number" data-label="Failed/s">${rate(handler.failedPerSecond)}</td>
      <td class="number" data-label="Time">${optional(handler.averageSeconds, duration)}</td>
      <td class="number" data-label="In memory">${optional(handler.inMemory, whole)}</td>
      <td class="number" data-label="Deferred">${figure(handler.deferred, ['waiting'], handler)}</td>
      <td class="number" data-label="Dead">${figure(handler.dead, ['dead-letters'], handler)}</td>
      <td class="number" data-label="Lanes blocked">${handler.blockedLanes === undefined ? '–' : figure(handler.blockedLanes, ['lanes'], handler)}</td>
      ${mayAct() ? html`<td class="row-actions">${this.#buttons(handler)}</td>` : nothing}
    </tr>`;
  }

  #buttons(handler) {
    return html`
      ${handler.relays.length === 0 ? html`<button type="button" class="danger" @click=${() => this.#forget(handler)} aria-label="Forget ${handler.name}">Forget</button>` : nothing}
      ${handler.paused
        ? html`<button type="button" class="primary" @click=${() => this.#act('RESUME', handler)} aria-label="Resume ${handler.name}">Resume</button>`
        : html`<button type="button" @click=${() => this.#pause(handler)} aria-label="Pause ${handler.name}">Pause</button>`}`;
  }

  async #pause(handler) {
    const why = await confirm({
      title: `Pause ${handler.name}?`,
      text: 'No relay starts further deliveries to it until it is resumed. Its messages wait; other handlers go on.',
      button: 'Pause handler',
    });
    if (why !== undefined) {
      this.#act('PAUSE', handler, why);
    }
  }

  async #forget(handler) {
    const why = await confirm({
      title: `Forget ${handler.name}?`,
      text: 'Say that it was removed on purpose: no messages are kept for it any more. What was kept so far is not touched.',
      button: 'Forget handler',
      danger: true,
    });
    if (why !== undefined) {
      this.#act('FORGET', handler, why);
    }
  }

  #act(kind, handler, why) {
    return perform({ kind, handler: handler.name, ...(why ? { why } : {}) }, { name: `handler ${handler.name}` });
  }
}
customElements.define('page-handlers', Handlers);

/** Deferred messages and dead letters of a handler, of all types. */
function waiting(name, byHandler) {
  const sum = (rows, property) => rows.reduce((total, row) => total + row[property], 0);
  const own = byHandler.filter((row) => row.handler === name);
  return { deferred: sum(own, 'deferred'), dead: sum(own, 'dead') };
}

function state(handler) {
  return html`
    ${handler.paused ? html`<span class="badge warn">paused ${handler.pausedSince ? ago(handler.pausedSince) : ''}</span>` : nothing}
    ${handler.circuitOpen.length ? html`<span class="badge bad" title=${`Seen by ${handler.circuitOpen.join(', ')}`}>destination down</span>` : nothing}
    ${handler.unavailable?.length ? html`<span class="badge bad" title=${handler.unavailable.join(', ')}>${handler.unavailable.length === 1 ? handler.unavailable[0] : `${handler.unavailable.length} destinations`} down</span>` : nothing}
    ${handler.relays.length === 0 ? html`<span class="badge warn">on no instance</span>` : nothing}
    ${!handler.paused && !handler.circuitOpen.length && handler.relays.length ? html`<span class="badge good">delivering</span>` : nothing}
    ${handler.relays.length ? html`<span class="sub">${handler.relays.length === 1 ? `on ${handler.relays[0]}` : `on ${handler.relays.length} instances`}</span>` : nothing}`;
}

function figure(count, path, handler) {
  return count ? html`<a href=${link(path, { handler: handler.name })}>${whole(count)}</a>` : '0';
}
