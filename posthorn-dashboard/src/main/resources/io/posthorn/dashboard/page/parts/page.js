// A page: loads what it shows, keeps it up to date, and says so when it cannot.

import { Element, html, nothing } from './element.js';
import { changes } from './activity.js';

const REFRESH_MILLIS = 3_000;

export class Page extends Element {
  static properties = {
    route: { attribute: false },
    data: { state: true },
    problem: { state: true },
  };

  #abort = new AbortController();
  #timer;
  #shown;
  #onChange = () => {
    this.changed();
    this.reload();
  };

  connectedCallback() {
    super.connectedCallback();
    this.#timer = setInterval(() => this.#tick(), REFRESH_MILLIS);
    changes.addEventListener('change', this.#onChange);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#timer);
    this.#abort.abort();
    changes.removeEventListener('change', this.#onChange);
  }

  willUpdate(changed) {
    super.willUpdate(changed);
    const place = this.route.path.join('/') + '?' + this.route.params;
    if (place !== this.#shown) {
      this.#shown = place;
      this.data = undefined;
      this.moved();
      this.reload();
    }
  }

  /** Loads again; an older request that has not been answered is given up. */
  async reload() {
    this.#abort.abort();
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const data = await this.load(abort.signal);
      if (!abort.signal.aborted) {
        this.data = data;
        this.problem = undefined;
      }
    } catch (problem) {
      if (!abort.signal.aborted) {
        this.problem = problem;
      }
    }
  }

  /** Called when filters or the thing shown have changed. */
  moved() {}

  /** Called when an action has changed something. */
  changed() {}

  /** What is above the data and stays there while it loads, so that fields keep the focus. */
  controls() {
    return nothing;
  }

  /** Whether the page may refresh by itself now. */
  get refreshes() {
    return true;
  }

  param(name) {
    return this.route.params.get(name) ?? '';
  }

  render() {
    return html`${this.head()}${this.controls()}${this.#body()}`;
  }

  #body() {
    if (this.data === undefined) {
      return this.problem ? failed(this.problem, () => this.reload()) : loading();
    }
    return html`${this.problem ? stale(this.problem) : nothing}${this.view(this.data)}`;
  }

  #tick() {
    if (!document.hidden && this.refreshes && !document.querySelector('dialog[open]')) {
      this.reload();
    }
  }
}

/** The title of a page, a sentence about it, and what can be done there. */
export function heading(title, text, tools = nothing) {
  return html`<header class="page-head">
    <div>
      <h1 tabindex="-1">${title}</h1>
      ${text ? html`<p class="lead">${text}</p>` : nothing}
    </div>
    <div class="tools">${tools}</div>
  </header>`;
}

export function loading() {
  return html`<div class="loading" role="status"><span class="visually-hidden">Loading</span><i></i><i></i><i></i></div>`;
}

export function empty(title, text = nothing) {
  return html`<div class="empty"><p class="empty-title">${title}</p><p>${text}</p></div>`;
}

export function failed(problem, retry) {
  return html`<div class="notice bad" role="alert">
    <div><strong>${problem.title ?? 'The page could not be loaded'}</strong><p>${problem.message}</p></div>
    <button type="button" @click=${retry}>Try again</button>
  </div>`;
}

function stale(problem) {
  return html`<div class="notice warn" role="status">
    <div><strong>These figures are not up to date.</strong><p>${problem.message}</p></div>
  </div>`;
}
