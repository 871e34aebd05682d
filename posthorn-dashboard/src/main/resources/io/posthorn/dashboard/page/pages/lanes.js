// Lanes that wait, and why: one handler and one key, delivered in order.

import { get } from '../api.js';
import { whole } from '../format.js';
import { link, messageLink } from '../route.js';
import { mayAct } from '../session.js';
import { perform } from '../parts/activity.js';
import { confirm } from '../parts/confirm.js';
import { html, nothing } from '../parts/element.js';
import '../parts/filter-bar.js';
import { filterOf } from '../parts/filter-bar.js';
import { empty, heading, Page } from '../parts/page.js';
import { when } from '../parts/times.js';

const FILTERS = ['key', 'handler'];

class Lanes extends Page {
  get #retrying() {
    return this.param('view') === 'retrying';
  }

  head() {
    const { view, ...rest } = Object.fromEntries(this.route.params);
    return html`${heading('Lanes', 'A lane is one handler and one key. A failed message holds up its own lane only.')}
      <nav class="tabs" aria-label="View of lanes">
        <a href=${link(['lanes'], rest)} aria-current=${this.#retrying ? nothing : 'page'}>Blocked</a>
        <a href=${link(['lanes'], { ...rest, view: 'retrying' })} aria-current=${this.#retrying ? 'page' : nothing}>Retrying</a>
      </nav>`;
  }

  controls() {
    return html`<posthorn-filter .route=${this.route} .names=${FILTERS}></posthorn-filter>`;
  }

  load(signal) {
    return get('lanes', {
      ...filterOf(this.route.params, FILTERS),
      reason: this.#retrying ? 'RETRYING' : 'BLOCKED',
      cursor: this.param('cursor'),
      limit: 100,
    }, signal);
  }

  view({ items, cursor }) {
    return html`${items.length ? this.#table(items) : empty(this.#retrying ? 'No lane waits for a retry' : 'No lane is blocked', 'All keys flow.')}
      ${cursor ? html`<div class="more"><a class="button" href=${link(['lanes'], { ...Object.fromEntries(this.route.params), cursor })}>Next page</a></div>` : nothing}`;
  }

  #table(lanes) {
    return html`<div class="table-box"><table class="list">
      <caption class="visually-hidden">Lanes</caption>
      <thead><tr><th scope="col">Key</th><th scope="col">Handler</th><th scope="col">Why</th><th scope="col" class="number">Partition</th><th scope="col" class="number">Since</th>
        ${mayAct() ? html`<th scope="col"><span class="visually-hidden">Actions</span></th>` : nothing}</tr></thead>
      <tbody>${lanes.map((lane) => html`<tr>
        <th scope="row" class="code" data-label="Key">${lane.key}</th>
        <td data-label="Handler">${lane.handler}</td>
        <td class="wide" data-label="Why">${why(lane)}</td>
        <td class="number" data-label="Partition">${lane.partition}</td>
        <td class="number" data-label="Since">${when(lane.since)}</td>
        ${mayAct() ? html`<td class="row-actions">${this.#buttons(lane)}</td>` : nothing}
      </tr>`)}</tbody></table></div>`;
  }

  #buttons(lane) {
    return html`
      <button type="button" aria-label="Skip the head of lane ${lane.key}" @click=${() => this.#skip(lane)}>Skip head</button>
      ${lane.reason === 'BLOCKED'
        ? html`<button type="button" class="primary" aria-label="Unblock lane ${lane.key}" @click=${() => this.#unblock(lane)}>Unblock</button>`
        : html`<button type="button" aria-label="Block lane ${lane.key}" @click=${() => this.#block(lane)}>Block</button>
            <button type="button" class="primary" aria-label="Run lane ${lane.key} now" @click=${() => this.#runNow(lane)}>Run now</button>`}`;
  }

  #unblock(lane) {
    return this.#ask('UNBLOCK', lane, {
      title: 'Unblock this lane?',
      text: 'All its markers are removed and its messages are delivered. Dead letters stay where they are.',
      button: 'Unblock lane',
    });
  }

  #block(lane) {
    return this.#ask('BLOCK', lane, { title: 'Block this lane?', text: 'Its messages wait until it is unblocked. What a relay has in memory is still delivered.', button: 'Block lane' });
  }

  #skip(lane) {
    return this.#ask('SKIP', lane, {
      title: 'Skip the head of this lane?',
      text: 'Its first message becomes a dead letter, or its marker is removed, and the lane goes on.',
      button: 'Skip head',
      danger: true,
    });
  }

  #runNow(lane) {
    return perform({ kind: 'RUN_NOW', ids: [lane.head.id] }, { noun: 'message', total: 1 });
  }

  async #ask(kind, { handler, key }, question) {
    const reason = await confirm({ ...question, target: `${handler} · ${key}` });
    if (reason !== undefined) {
      await perform({ kind, handler, key, ...(reason ? { why: reason } : {}) }, { name: `lane ${key} of ${handler}` });
    }
  }
}
customElements.define('page-lanes', Lanes);

function why({ reason, head, handler, key }) {
  if (reason === 'RETRYING') {
    return html`<span class="clip">${head.lastError ?? 'failed'}</span>
      <span class="sub"><a href=${messageLink(head)}>${head.type}</a> · attempt ${whole(head.attempts)} · due ${when(head.dueAt)}</span>`;
  }
  return html`<span class="clip">${head.lastError ?? 'Blocked by an operator, or by a dead letter'}</span>
    <span class="sub"><a href=${link(['dead-letters'], { handler, key })}>dead letters of this lane</a> · <a href=${link(['waiting'], { handler, key })}>what waits behind</a></span>`;
}
