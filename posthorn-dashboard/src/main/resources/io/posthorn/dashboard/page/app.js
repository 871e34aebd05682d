// The frame of the page: navigation, who is signed in, whether figures are live, and the page that the URL asks for.

import { live } from './live.js';
import { current, go, link, outbox } from './route.js';
import { loadSession } from './session.js';
import './parts/activity.js';
import './parts/confirm.js';
import './parts/edit-dialog.js';
import { Element, html, nothing } from './parts/element.js';
import { empty, failed, heading, loading } from './parts/page.js';
import './pages/actions.js';
import './pages/database.js';
import './pages/dead-letters.js';
import './pages/delivered.js';
import './pages/handlers.js';
import './pages/instances.js';
import './pages/lanes.js';
import './pages/message.js';
import './pages/overview.js';
import './pages/waiting.js';

const PAGES = [
  { name: '', title: 'Overview', show: (route) => html`<page-overview .route=${route}></page-overview>` },
  {
    name: 'dead-letters',
    title: 'Dead letters',
    count: (overview) => overview.dead,
    show: (route) => route.params.get('view') === 'errors'
      ? html`<page-dead-letter-groups .route=${route}></page-dead-letter-groups>`
      : html`<page-dead-letters .route=${route}></page-dead-letters>`,
  },
  {
    name: 'waiting',
    title: 'Waiting messages',
    show: (route) => route.params.get('view') === 'ready'
      ? html`<page-ready .route=${route}></page-ready>`
      : html`<page-waiting .route=${route}></page-waiting>`,
  },
  { name: 'lanes', title: 'Lanes', show: (route) => html`<page-lanes .route=${route}></page-lanes>` },
  { name: 'handlers', title: 'Handlers', show: (route) => html`<page-handlers .route=${route}></page-handlers>` },
  { name: 'instances', title: 'Partitions and instances', show: (route) => html`<page-instances .route=${route}></page-instances>` },
  { name: 'delivered', title: 'Delivered', show: (route) => html`<page-delivered .route=${route}></page-delivered>` },
  {
    name: 'actions',
    title: 'Actions taken',
    show: (route) => (route.path[1] ? html`<page-action .route=${route}></page-action>` : html`<page-actions .route=${route}></page-actions>`),
  },
  { name: 'database', title: 'Database health', show: (route) => html`<page-database .route=${route}></page-database>` },
  { name: 'messages', title: 'Message', hidden: true, show: (route) => html`<page-message .route=${route}></page-message>` },
];

class App extends Element {
  static properties = { route: { state: true }, session: { state: true }, problem: { state: true }, menu: { state: true } };

  #outbox;

  constructor() {
    super();
    this.route = current();
    addEventListener('hashchange', () => this.#moved());
    live.addEventListener('change', () => this.requestUpdate());
  }

  connectedCallback() {
    super.connectedCallback();
    this.#open();
  }

  async #open() {
    this.problem = undefined;
    try {
      this.session = await loadSession();
    } catch (problem) {
      this.problem = problem;
      return;
    }
    if (this.session.outboxes.length > 1 && !outbox()) {
      go(this.route.path, { ...Object.fromEntries(this.route.params), outbox: this.session.outboxes[0] });
    }
    this.#outbox = outbox();
    live.start();
  }

  #moved() {
    const before = this.route.path.join('/');
    this.route = current();
    this.menu = false;
    if (this.session && outbox() !== this.#outbox) {
      this.#outbox = outbox();
      live.start();
    }
    if (this.route.path.join('/') !== before) {
      scrollTo(0, 0);
      this.updateComplete.then(() => this.querySelector('main h1')?.focus({ preventScroll: true }));
    }
  }

  render() {
    const page = PAGES.find(({ name }) => name === this.route.path[0]);
    document.title = `${page?.title ?? 'Not found'} · Posthorn`;
    return html`
      <a class="skip" href="#main" @click=${this.#skip}>Skip to content</a>
      ${this.#bar(page)}
      <main id="main" tabindex="-1">${this.#content(page)}</main>
      <posthorn-activity></posthorn-activity>
      <posthorn-confirm></posthorn-confirm>
      <posthorn-edit></posthorn-edit>`;
  }

  #content(page) {
    if (this.problem) {
      return html`${heading('Posthorn')}${failed(this.problem, () => this.#open())}`;
    }
    if (!this.session) {
      return html`${heading('Posthorn')}${loading()}`;
    }
    return page ? page.show(this.route) : html`${heading('Not found')}${empty('There is no such page', html`<a href=${link([''])}>Go to the overview</a>`)}`;
  }

  #bar(page) {
    return html`<header class="bar ${this.menu ? 'open' : ''}">
      <a class="brand" href=${link([''])}>${mark()}<span>Posthorn</span></a>
      <button type="button" class="menu" aria-expanded=${this.menu ? 'true' : 'false'} aria-controls="navigation" @click=${() => (this.menu = !this.menu)}>Menu</button>
      <nav id="navigation" aria-label="Pages"><ul>
        ${PAGES.filter((entry) => !entry.hidden).map((entry) => html`<li>
          <a href=${link([entry.name])} aria-current=${entry === page ? 'page' : nothing}>${entry.title}${this.#badge(entry)}</a></li>`)}
      </ul></nav>
      <div class="bar-foot">${this.#outboxes()}${this.#who()}${this.#state()}</div>
    </header>`;
  }

  #badge({ count }) {
    const number = count && live.overview ? count(live.overview) : 0;
    return number ? html`<span class="count">${number > 999 ? '999+' : number}</span>` : nothing;
  }

  #outboxes() {
    const names = this.session?.outboxes ?? [];
    return names.length > 1
      ? html`<label class="field">Outbox <select @change=${(event) => go(this.route.path.slice(0, 1), { outbox: event.target.value })}>
          ${names.map((name) => html`<option value=${name} ?selected=${name === outbox()}>${name}</option>`)}</select></label>`
      : nothing;
  }

  #who() {
    if (!this.session) {
      return nothing;
    }
    const { name, readOnly, permissions } = this.session;
    const seeOnly = readOnly || !permissions.includes('ACT');
    return html`${seeOnly ? html`<p class="read-only" title=${readOnly ? 'The server refuses every change' : 'You may look but not change anything'}>Read-only</p>` : nothing}
      ${name ? html`<p class="who">${name}</p>` : nothing}`;
  }

  #state() {
    if (!live.overview && !live.problem) {
      return nothing;
    }
    return live.connected
      ? html`<p class="live"><i class="dot good"></i>Live</p>`
      : html`<p class="live" role="status" title=${live.problem?.message ?? ''}><i class="dot bad"></i>No connection</p>`;
  }

  #skip(event) {
    event.preventDefault();
    this.querySelector('main').focus();
  }
}
customElements.define('posthorn-app', App);

function mark() {
  return html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"></rect>
    <g><circle cx="14" cy="17.5" r="6"></circle><path d="M6 11.500h8c7 0 9-2 12-5v12c-3-3-5-3.500-6-3.500"></path></g></svg>`;
}
