// The filter of a list. It lives in the URL: applying it goes there.

import { go } from '../route.js';
import { Element, html, nothing } from './element.js';

const FIELDS = {
  error: { label: 'Error contains', placeholder: 'part of the error, same case' },
  handler: { label: 'Handler' },
  type: { label: 'Type' },
  key: { label: 'Key' },
  tenant: { label: 'Tenant' },
  messageId: { label: 'Message id', pattern: '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}' },
  reason: { label: 'Reason', options: ['RETRYING', 'HELD', 'WAITING', 'DELAYED', 'SUSPECT', 'ELSEWHERE', 'UNCLAIMED', 'SETTLED'] },
  from: { label: 'From', time: true },
  to: { label: 'Before', time: true },
};

/** What the API is asked for, from the parameters of the URL. */
export function filterOf(params, names) {
  const filter = {};
  for (const name of names) {
    const value = params.get(name);
    if (value) {
      filter[name] = value;
    }
  }
  return filter;
}

/** `handler mailer, error contains timeout`, or undefined: everything. */
export function filterWords(filter) {
  const words = Object.entries(filter).map(([name, value]) => `${FIELDS[name].label.toLowerCase()} ${value}`);
  return words.length ? words.join(', ') : undefined;
}

class FilterBar extends Element {
  static properties = {
    route: { attribute: false },
    names: { attribute: false },
    handlers: { attribute: false },
    types: { attribute: false },
  };

  render() {
    const set = this.names.filter((name) => this.route.params.get(name));
    const [first, ...others] = this.names;
    return html`<form class="filter" role="search" aria-label="Filter" @submit=${this.#apply}>
      <div class="filter-row">
        ${this.#field(first)}
        <button class="primary">Search</button>
      </div>
      <details ?open=${others.some((name) => set.includes(name))}>
        <summary>More filters</summary>
        <div class="filter-grid">${others.map((name) => this.#field(name))}</div>
      </details>
      ${set.length
        ? html`<ul class="chips" aria-label="Active filters">
            ${set.map((name) => html`<li><button type="button" @click=${() => this.#remove([name])} title="Remove this filter">
              <span>${FIELDS[name].label}</span> <b>${this.route.params.get(name)}</b> ✕</button></li>`)}
            <li><button type="button" class="quiet" @click=${() => this.#remove(set)}>Clear all</button></li>
          </ul>`
        : nothing}
      <datalist id="known-handlers">${(this.handlers ?? []).map((name) => html`<option value=${name}></option>`)}</datalist>
      <datalist id="known-types">${(this.types ?? []).map((name) => html`<option value=${name}></option>`)}</datalist>
    </form>`;
  }

  #field(name) {
    const field = FIELDS[name];
    const value = this.route.params.get(name) ?? '';
    if (field.options) {
      return html`<label class="field">${field.label}
        <select name=${name}>
          <option value="" ?selected=${!value}>Any</option>
          ${field.options.map((option) => html`<option value=${option} ?selected=${option === value}>${option.toLowerCase()}</option>`)}
        </select></label>`;
    }
    const list = { handler: 'known-handlers', type: 'known-types' }[name];
    return html`<label class="field">${field.label}
      <input name=${name} .value=${field.time ? local(value) : value} type=${field.time ? 'datetime-local' : 'text'} step=${field.time ? '1' : nothing}
        list=${list ?? nothing} pattern=${field.pattern ?? nothing} placeholder=${field.placeholder ?? nothing} autocomplete="off" spellcheck="false">
    </label>`;
  }

  #apply(event) {
    event.preventDefault();
    const form = new FormData(event.target);
    const params = Object.fromEntries(this.route.params);
    for (const name of this.names) {
      const value = (form.get(name) ?? '').trim();
      params[name] = value && FIELDS[name].time ? new Date(value).toISOString() : value;
    }
    go(this.route.path, params);
  }

  #remove(names) {
    const params = Object.fromEntries(this.route.params);
    names.forEach((name) => delete params[name]);
    go(this.route.path, params);
  }
}
customElements.define('posthorn-filter', FilterBar);

/** An instant as a field for local times takes it. */
function local(instant) {
  if (!instant || Number.isNaN(Date.parse(instant))) {
    return '';
  }
  const date = new Date(instant);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
