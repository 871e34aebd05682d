// A list of messages: filter, pages, selection, and what can be done to the selected ones or to all that match.

import { get } from '../api.js';
import { counted } from '../format.js';
import { live } from '../live.js';
import { messageLink } from '../route.js';
import { mayAct } from '../session.js';
import { amount, destructive, effect, verb } from './actions.js';
import { perform } from './activity.js';
import { confirm } from './confirm.js';
import { html, nothing } from './element.js';
import './filter-bar.js';
import { filterOf, filterWords } from './filter-bar.js';
import { empty, Page } from './page.js';

const PAGE_SIZE = 50;
/** An action takes no more ids; whoever needs more acts on all that match. */
const MAX_ROWS = 1_000;
/** A page of the API may be short though more follow: so many are asked for in a row. */
const MAX_SHORT_PAGES = 20;
const COUNT_MILLIS = 30_000;

/**
 * Subclasses say: path (of the API), noun, filters (names, the main one first), kinds (of actions),
 * columns (title, cell, class), and what an empty list means.
 */
export class MessageList extends Page {
  static properties = { selected: { state: true }, everything: { state: true }, count: { state: true }, more: { state: true } };

  #countedAt = 0;

  constructor() {
    super();
    this.selected = new Set();
    this.everything = false;
    this.more = [];
  }

  get fixed() {
    return {};
  }

  get filter() {
    return { ...filterOf(this.route.params, this.filters), ...this.fixed };
  }

  get refreshes() {
    return this.selected.size === 0 && this.more.length === 0;
  }

  moved() {
    this.#deselect();
    this.more = [];
    this.count = undefined;
    this.#countedAt = 0;
  }

  changed() {
    this.#countedAt = 0;
  }

  controls() {
    const known = live.overview?.byHandler ?? [];
    return html`<posthorn-filter .route=${this.route} .names=${this.filters}
      .handlers=${unique(known.map((row) => row.handler))} .types=${unique(known.map((row) => row.type))}></posthorn-filter>`;
  }

  async load(signal) {
    this.#countAgain(signal);
    return this.#page(undefined, signal);
  }

  async #page(cursor, signal) {
    const items = [];
    for (let asked = 0; asked < MAX_SHORT_PAGES; asked++) {
      const page = await get(this.path, { ...this.filter, cursor, limit: PAGE_SIZE - items.length }, signal);
      items.push(...page.items);
      cursor = page.cursor;
      if (!cursor || items.length >= PAGE_SIZE) {
        break;
      }
    }
    return { items, cursor };
  }

  async #countAgain(signal) {
    if (!this.countable || Date.now() - this.#countedAt < COUNT_MILLIS) {
      return;
    }
    this.#countedAt = Date.now();
    try {
      this.count = await get(`${this.path}/count`, this.filter, signal);
    } catch {
      this.#countedAt = 0; // The list itself says what is wrong.
    }
  }

  get countable() {
    return true;
  }

  view(first) {
    const pages = [first, ...this.more];
    const items = pages.flatMap((page) => page.items);
    const cursor = pages.at(-1).cursor;
    return html`
      ${items.length === 0 && !cursor
        ? empty(Object.keys(this.filter).length ? 'Nothing matches this filter' : this.emptyTitle, this.emptyText)
        : html`${this.#bar(items)}${this.#table(items)}`}
      ${cursor
        ? html`<div class="more">${items.length >= MAX_ROWS
            ? html`<p class="hint">${counted(items.length, this.noun)} are shown. Narrow the filter to see others.</p>`
            : html`<button type="button" @click=${() => this.#loadMore(cursor)}>Show more</button>`}</div>`
        : nothing}`;
  }

  #bar(items) {
    const kinds = mayAct() ? this.kinds : [];
    return html`<div class="bulk" role="group" aria-label="Actions">
      <p class="figures" role="status">${this.#scope(items)}</p>
      ${kinds.length && this.selected.size && this.countable && !this.everything
        ? html`<button type="button" class="quiet" @click=${() => (this.everything = true)}>Select all that match</button>`
        : nothing}
      ${this.selected.size ? html`<button type="button" class="quiet" @click=${() => this.#deselect()}>Clear selection</button>` : nothing}
      <span class="spring"></span>
      ${this.selected.size
        ? kinds.map((kind) => html`<button type="button" class=${destructive(kind) ? 'danger' : ''}
            @click=${() => this.#act(kind, !this.everything)}>${verb(kind)}</button>`)
        : this.countable
          ? kinds.map((kind) => html`<button type="button" class=${destructive(kind) ? 'danger' : ''}
              @click=${() => this.#act(kind, false)}>${verb(kind)} all that match</button>`)
          : nothing}
    </div>`;
  }

  #scope(items) {
    if (this.everything) {
      return this.count ? `All that match are selected: ${amount(this.count, this.noun)}` : 'All that match are selected';
    }
    if (this.selected.size) {
      return `${counted(this.selected.size, this.noun)} selected`;
    }
    return this.count ? `${amount(this.count, this.noun)}` : `${counted(items.length, this.noun)} shown`;
  }

  #table(items) {
    const selectable = mayAct() && this.kinds.length > 0;
    const all = items.every((item) => this.selected.has(item.id));
    return html`<div class="table-box"><table class="list">
      <caption class="visually-hidden">${this.caption}</caption>
      <thead><tr>
        ${selectable
          ? html`<th class="tick"><input type="checkbox" aria-label="Select all shown" .checked=${all}
              .indeterminate=${!all && this.selected.size > 0} @change=${() => this.#selectShown(items, !all)}></th>`
          : nothing}
        ${this.columns.map((column) => html`<th scope="col" class=${column.class ?? ''}>${column.title}</th>`)}
      </tr></thead>
      <tbody>${items.map((item) => html`<tr class=${this.selected.has(item.id) ? 'selected' : ''}>
        ${selectable
          ? html`<td class="tick"><input type="checkbox" aria-label="Select message ${item.messageId}" .checked=${this.selected.has(item.id)}
              @change=${() => this.#toggle(item.id)}></td>`
          : nothing}
        ${this.columns.map((column) => html`<td class=${column.class ?? ''} data-label=${column.title}>${column.cell(item)}</td>`)}
      </tr>`)}</tbody>
    </table></div>`;
  }

  #toggle(id) {
    const selected = new Set(this.selected);
    if (!selected.delete(id)) {
      selected.add(id);
    }
    this.selected = selected;
    this.everything = false;
  }

  #selectShown(items, wanted) {
    this.selected = new Set(wanted ? items.map((item) => item.id) : []);
    this.everything = false;
  }

  #deselect() {
    this.selected = new Set();
    this.everything = false;
  }

  async #loadMore(cursor) {
    try {
      this.more = [...this.more, await this.#page(cursor)];
    } catch (problem) {
      this.problem = problem;
    }
  }

  async #act(kind, selectedOnly) {
    const ids = [...this.selected];
    let count = { entries: ids.length, complete: true };
    if (!selectedOnly) {
      try {
        count = await get(`${this.path}/count`, this.filter);
      } catch (problem) {
        this.problem = problem;
        return;
      }
    }
    const what = amount(count, this.noun);
    const why = await confirm({
      title: `${verb(kind)} ${what}?`,
      target: selectedOnly ? 'The selected ones.' : `All that match: ${filterWords(this.filter) ?? 'no filter, that is every one'}.`,
      text: effect(kind),
      button: `${verb(kind)} ${what}`,
      danger: destructive(kind),
    });
    if (why === undefined) {
      return;
    }
    const request = { kind, ...(selectedOnly ? { ids } : { filter: this.filter }) };
    if (why) {
      request.why = why;
    }
    this.#deselect();
    this.more = [];
    await perform(request, { noun: this.noun, total: count.complete ? count.entries : undefined });
  }
}

function unique(names) {
  return [...new Set(names)].filter((name) => name !== '*').sort();
}

/** The cells that most lists have. */
export const cells = {
  /** An operator's block has no message of its own. */
  message: (item) => (item.type ? html`<a href=${messageLink(item)}>${item.type}</a>` : html`<span class="hint">marker of a lane</span>`),
  handler: (item) => (item.handler === '*' ? 'all handlers' : item.handler),
  key: (item) => item.key ?? html`<span class="hint">no key</span>`,
};
