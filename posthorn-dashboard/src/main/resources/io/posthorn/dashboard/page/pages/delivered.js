// What was delivered, where the relay keeps it, and dead letters that were resolved.

import { html } from '../parts/element.js';
import { cells, MessageList } from '../parts/message-list.js';
import { heading } from '../parts/page.js';
import { when } from '../parts/times.js';

class Delivered extends MessageList {
  path = 'history';
  noun = 'message';
  caption = 'Delivered messages';
  filters = ['handler', 'type', 'key', 'tenant', 'from', 'to', 'messageId'];
  kinds = ['REPLAY'];
  emptyTitle = 'No history';
  emptyText = 'Delivered messages are kept only if the relay is told to (relay.retention).';
  columns = [
    { title: 'Type', cell: cells.message },
    { title: 'Handler', cell: cells.handler },
    { title: 'Key', cell: cells.key, class: 'code' },
    {
      title: 'Outcome',
      cell: (item) => item.resolution
        ? html`<span class="badge">resolved</span> by ${item.resolution.who}${item.resolution.why ? `: ${item.resolution.why}` : ''}`
        : html`<span class="badge good">delivered</span>`,
      class: 'wide',
    },
    { title: 'When', cell: (item) => when(item.deliveredAt), class: 'number' },
  ];

  head() {
    return heading('Delivered messages', 'Kept for as long as the relay is told to. They can be delivered once more.');
  }
}
customElements.define('page-delivered', Delivered);
