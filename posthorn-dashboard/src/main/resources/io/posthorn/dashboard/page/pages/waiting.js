// Messages that wait: for one handler, and those that are ready for all.

import { whole } from '../format.js';
import { link } from '../route.js';
import { html, nothing } from '../parts/element.js';
import { cells, MessageList } from '../parts/message-list.js';
import { heading } from '../parts/page.js';
import { reasonBadge } from '../parts/reasons.js';
import { when } from '../parts/times.js';

const VIEWS = [
  ['', 'All deferred'],
  ['RETRYING', 'Retrying'],
  ['HELD', 'Held'],
  ['DELAYED', 'Delayed'],
  ['ready', 'Ready'],
];

function head(route) {
  const shown = route.params.get('view') === 'ready' ? 'ready' : (route.params.get('reason') ?? '');
  const { view, reason, ...rest } = Object.fromEntries(route.params);
  return html`${heading('Waiting messages', shown === 'ready'
      ? 'Written and not yet delivered; what relays have in memory is among them.'
      : 'Deferred for one handler: delayed, retrying, or held behind a failed message of their lane.')}
    <nav class="tabs" aria-label="View of waiting messages">
      ${VIEWS.map(([name, label]) => html`<a href=${link(route.path, { ...rest, ...(name === 'ready' ? { view: name } : { reason: name }) })}
        aria-current=${name === shown ? 'page' : nothing}>${label}</a>`)}
    </nav>`;
}

class Waiting extends MessageList {
  path = 'deferred';
  noun = 'message';
  caption = 'Deferred messages';
  filters = ['handler', 'type', 'key', 'error', 'reason', 'tenant', 'from', 'to', 'messageId'];
  kinds = ['RUN_NOW', 'SKIP', 'CANCEL'];
  emptyTitle = 'Nothing is deferred';
  emptyText = 'Every message is either delivered or on its way.';
  columns = [
    { title: 'Type', cell: cells.message },
    { title: 'Handler', cell: cells.handler },
    { title: 'Key', cell: cells.key, class: 'code' },
    { title: 'Reason', cell: (item) => reasonBadge(item.reason) },
    { title: 'Last error', cell: (item) => html`<span class="clip">${item.lastError ?? '–'}</span>`, class: 'wide' },
    { title: 'Attempts', cell: (item) => whole(item.attempts), class: 'number' },
    { title: 'Due', cell: (item) => when(item.dueAt), class: 'number' },
  ];

  head() {
    return head(this.route);
  }
}
customElements.define('page-waiting', Waiting);

class Ready extends MessageList {
  path = 'ready';
  noun = 'message';
  caption = 'Ready messages';
  filters = ['type', 'key', 'tenant', 'from', 'to', 'messageId'];
  kinds = [];
  emptyTitle = 'No message is ready';
  emptyText = 'All that was published has been delivered or deferred.';
  columns = [
    { title: 'Type', cell: cells.message },
    { title: 'Key', cell: cells.key, class: 'code' },
    { title: 'Tenant', cell: (item) => item.tenant ?? '–' },
    { title: 'Partition', cell: (item) => item.partition, class: 'number' },
    { title: 'Seq', cell: (item) => item.seq, class: 'number' },
    { title: 'Written', cell: (item) => when(item.createdAt), class: 'number' },
  ];

  get countable() {
    return false;
  }

  head() {
    return head(this.route);
  }
}
customElements.define('page-ready', Ready);
