// What operators did: who, when, what, why, to how many.

import { get, stopAction } from '../api.js';
import { whole } from '../format.js';
import { link } from '../route.js';
import { mayAct } from '../session.js';
import { verb } from '../parts/actions.js';
import { changes } from '../parts/activity.js';
import { html, nothing } from '../parts/element.js';
import { empty, heading, Page } from '../parts/page.js';
import { headersTable, payloadView } from '../parts/payload.js';
import { exactly, when } from '../parts/times.js';

const TONES = { RUNNING: 'warn', DONE: 'good', STOPPED: '' };

class Actions extends Page {
  head() {
    return heading('Actions taken', 'What operators did here, on the command line and by the API.');
  }

  load(signal) {
    return get('actions', { cursor: this.param('cursor'), limit: 50 }, signal);
  }

  view({ items, cursor }) {
    if (items.length === 0) {
      return empty('No actions', 'Whatever an operator changes is recorded here.');
    }
    return html`<div class="table-box"><table class="list">
      <caption class="visually-hidden">Actions</caption>
      <thead><tr><th scope="col">Action</th><th scope="col">Target</th><th scope="col">Who</th><th scope="col">State</th><th scope="col" class="number">Entries</th><th scope="col" class="number">Started</th></tr></thead>
      <tbody>${items.map((action) => html`<tr>
        <th scope="row" data-label="Action"><a href=${link(['actions', action.id])}>${verb(action.kind)}</a></th>
        <td class="wide" data-label="Target"><span class="clip">${action.target}</span>${action.why ? html`<span class="sub">“${action.why}”</span>` : nothing}</td>
        <td data-label="Who">${action.who}</td>
        <td data-label="State">${stateBadge(action)}</td>
        <td class="number" data-label="Entries">${whole(action.entries)}</td>
        <td class="number" data-label="Started">${when(action.startedAt)}</td>
      </tr>`)}</tbody></table></div>
      ${cursor ? html`<div class="more"><a class="button" href=${link(['actions'], { cursor })}>Older</a></div>` : nothing}`;
  }
}
customElements.define('page-actions', Actions);

class OneAction extends Page {
  head() {
    return heading(this.data ? verb(this.data.kind) : 'Action', html`<a href=${link(['actions'])}>← All actions</a>`);
  }

  load(signal) {
    return get(`actions/${encodeURIComponent(this.route.path[1])}`, {}, signal);
  }

  view(action) {
    return html`<dl class="facts">
        <div><dt>Who</dt><dd>${action.who}</dd></div>
        <div><dt>State</dt><dd>${stateBadge(action)}</dd></div>
        <div><dt>Entries</dt><dd>${whole(action.entries)}</dd></div>
        <div><dt>Started</dt><dd>${exactly(action.startedAt)}</dd></div>
        <div><dt>Last change</dt><dd>${exactly(action.changedAt)}</dd></div>
        <div class="broad"><dt>Target</dt><dd>${action.target}</dd></div>
        ${action.why ? html`<div class="broad"><dt>Reason</dt><dd>${action.why}</dd></div>` : nothing}
        <div class="broad"><dt>Id</dt><dd class="code">${action.id}</dd></div>
      </dl>
      ${action.state === 'RUNNING' && mayAct() ? html`<p><button type="button" class="danger" @click=${() => this.#stop(action)}>Stop</button></p>` : nothing}
      ${action.original
        ? html`<section><h2>Headers before the edit</h2>${headersTable(action.original.headers)}</section>
            ${action.original.payload ? html`<section><h2>Payload before the edit</h2>${payloadView(action.original.payload)}</section>` : nothing}`
        : nothing}`;
  }

  async #stop(action) {
    try {
      await stopAction(action.id);
      changes.dispatchEvent(new Event('change'));
    } catch (problem) {
      this.problem = problem;
    }
  }
}
customElements.define('page-action', OneAction);

function stateBadge({ state }) {
  return html`<span class="badge ${TONES[state] ?? ''}">${state.toLowerCase()}</span>`;
}
