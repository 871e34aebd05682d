// One message: what it is, where it is now, what went wrong, and what can be done about it.

import { get } from '../api.js';
import { counted, duration } from '../format.js';
import { link } from '../route.js';
import { mayAct, maySeePayloads } from '../session.js';
import { destructive, effect, verb } from '../parts/actions.js';
import { perform } from '../parts/activity.js';
import { confirm } from '../parts/confirm.js';
import { editDialog } from '../parts/edit-dialog.js';
import { html, nothing } from '../parts/element.js';
import { empty, heading, Page } from '../parts/page.js';
import { headersTable, payloadView } from '../parts/payload.js';
import { reasonBadge, reasonText } from '../parts/reasons.js';
import { exactly } from '../parts/times.js';

class OneMessage extends Page {
  head() {
    const first = this.data && entries(this.data)[0]?.entry;
    return heading(first?.type || 'Message', html`<span class="code">${this.data?.messageId ?? this.route.path[2] ?? this.route.path[1]}</span>`);
  }

  async load(signal) {
    const [, place, id] = this.route.path;
    return (await find(place, signal)) ?? (id && (await find(id, signal))) ?? { ready: [], deferred: [], dead: [], history: [] };
  }

  view(story) {
    const all = entries(story);
    if (all.length === 0) {
      return empty('It is not here', 'The message was delivered and is not kept, was deleted, or never existed.');
    }
    const message = all[0].entry;
    return html`
      <section><h2>Where it is</h2><ol class="story">${all.map(({ place, entry }) => this.#place(place, entry))}</ol></section>
      <section><h2>Message</h2>${facts(message)}</section>
      <section><h2>Headers</h2>${headersTable(message.headers)}</section>
      <section><h2>Payload</h2>
        ${message.edited ? html`<p class="notice"><span>An operator edited the payload.
          ${message.editedBy ? html`<a href=${link(['actions', message.editedBy])}>See the original</a>` : nothing}</span></p>` : nothing}
        ${payloadView(message.payload)}</section>`;
  }

  #place(place, entry) {
    switch (place) {
      case 'ready':
        return item('', html`<span class="badge">ready</span> for all handlers of its type`,
          html`Written ${exactly(entry.createdAt)}. A relay delivers it next, or has it in memory.`);
      case 'deferred':
        return item('warn', html`${reasonBadge(entry.reason)} for <b>${entry.handler === '*' ? 'all handlers' : entry.handler}</b>`,
          html`${reasonText(entry.reason)}. ${entry.dueAt && entry.reason !== 'BLOCKED' ? html`Due ${exactly(entry.dueAt)}.` : nothing} ${attempts(entry)}`,
          entry.lastError, entry.reason === 'BLOCKED' ? nothing : this.#buttons(['RUN_NOW', 'SKIP', 'CANCEL'], entry));
      case 'dead':
        return item('bad', html`<span class="badge bad">dead letter</span> of <b>${entry.handler}</b>`,
          html`Given up ${exactly(entry.diedAt)}. ${attempts(entry)}`, entry.error,
          html`${this.#buttons(['RETRY', 'RESOLVE', 'DELETE'], entry)}
            ${mayAct() ? html`<button type="button" @click=${() => this.#edit(entry)}>Edit…</button>` : nothing}`);
      default:
        return entry.resolution
          ? item('', html`<span class="badge">resolved</span> for <b>${entry.handler}</b>`,
              html`By ${entry.resolution.who} ${exactly(entry.deliveredAt)}${entry.resolution.why ? `: ${entry.resolution.why}` : ''}`,
              entry.error, this.#buttons(['REOPEN'], entry))
          : item('good', html`<span class="badge good">delivered</span> to <b>${entry.handler}</b>`,
              exactly(entry.deliveredAt), undefined, this.#buttons(['REPLAY'], entry));
    }
  }

  #buttons(kinds, entry) {
    return mayAct()
      ? kinds.map((kind) => html`<button type="button" class=${destructive(kind) ? 'danger' : kind === 'RETRY' ? 'primary' : ''}
          @click=${() => this.#act(kind, entry)}>${verb(kind)}</button>`)
      : nothing;
  }

  async #act(kind, entry) {
    const noun = kind === 'RETRY' || kind === 'RESOLVE' || kind === 'DELETE' ? 'dead letter' : 'message';
    const why = await confirm({
      title: `${verb(kind)} this ${noun}?`,
      target: `${entry.type} for ${entry.handler}`,
      text: effect(kind).replaceAll('They are', 'It is').replaceAll('They become dead letters', 'It becomes a dead letter').replaceAll('They become', 'It becomes').replaceAll('They stay', 'It stays').replaceAll('their lanes go', 'its lane goes'),
      button: `${verb(kind)} ${counted(1, noun)}`,
      danger: destructive(kind),
    });
    if (why !== undefined) {
      await perform({ kind, ids: [entry.id], ...(why ? { why } : {}) }, { noun, total: 1 });
    }
  }

  async #edit(entry) {
    const edit = await editDialog(entry, maySeePayloads());
    if (!edit) {
      return;
    }
    const why = edit.why ? { why: edit.why } : {};
    const name = `${entry.type} for ${entry.handler}`;
    let saved = true;
    if (edit.headers) {
      saved = await perform({ kind: 'EDIT_HEADERS', entry: entry.id, headers: edit.headers, ...why }, { name });
    }
    if (saved && edit.payload) {
      saved = await perform({ kind: 'EDIT_PAYLOAD', entry: entry.id, payload: edit.payload, ...why }, { name });
    }
    if (saved && edit.retry) {
      await perform({ kind: 'RETRY', ids: [entry.id], ...why }, { noun: 'dead letter', total: 1 });
    }
  }
}
customElements.define('page-message', OneMessage);

/** The story of a message, or undefined: there is none at this place or with this id. */
async function find(message, signal) {
  try {
    return await get(`messages/${encodeURIComponent(message)}`, {}, signal);
  } catch (problem) {
    if (problem.status === 404) {
      return undefined;
    }
    throw problem;
  }
}

function entries(story) {
  return ['dead', 'deferred', 'ready', 'history'].flatMap((place) => story[place].map((entry) => ({ place, entry })));
}

function item(tone, title, text, error = undefined, buttons = nothing) {
  return html`<li class=${tone}>
    <div class="story-text"><p>${title}</p><p class="hint">${text}</p>${error ? html`<pre class="error" tabindex="0" role="group" aria-label="Error">${error}</pre>` : nothing}</div>
    <div class="buttons">${buttons}</div>
  </li>`;
}

function attempts(entry) {
  return entry.attempts ? `${counted(entry.attempts, 'attempt')}.` : '';
}

function facts(message) {
  const fact = (label, value) => (value === undefined ? nothing : html`<div><dt>${label}</dt><dd>${value}</dd></div>`);
  return html`<dl class="facts">
    ${fact('Key', message.key ? html`<span class="code">${message.key}</span>` : undefined)}
    ${fact('Tenant', message.tenant)}
    ${fact('Aggregate type', message.aggregateType)}
    ${fact('Partition', message.partition)}
    ${fact('Seq', message.seq)}
    ${fact('Occurred', exactly(message.occurredAt))}
    ${fact('Written', exactly(message.createdAt))}
    ${message.expiresInSeconds === undefined ? nothing : fact('Expires', message.expiresInSeconds > 0 ? `in ${duration(message.expiresInSeconds)}` : 'has expired')}
    ${message.key ? html`<div><dt>Lane</dt><dd><a href=${link(['waiting'], { key: message.key })}>what waits with this key</a></dd></div>` : nothing}
  </dl>`;
}
