// Messages that were given up: found by search, by error, and dealt with one by one or all at once.

import { get } from '../api.js';
import { counted, whole } from '../format.js';
import { link, messageLink } from '../route.js';
import { html, nothing } from '../parts/element.js';
import { cells, MessageList } from '../parts/message-list.js';
import { empty, heading, Page } from '../parts/page.js';
import { when } from '../parts/times.js';

const TITLE = 'Dead letters';

function tabs(route) {
  const groups = route.params.get('view') === 'errors';
  const { view, ...rest } = Object.fromEntries(route.params);
  return html`<nav class="tabs" aria-label="View of dead letters">
    <a href=${link(route.path, rest)} aria-current=${groups ? nothing : 'page'}>Messages</a>
    <a href=${link(route.path, { ...rest, view: 'errors' })} aria-current=${groups ? 'page' : nothing}>By error</a>
  </nav>`;
}

class DeadLetters extends MessageList {
  path = 'dead-letters';
  noun = 'dead letter';
  caption = 'Dead letters';
  filters = ['error', 'handler', 'type', 'key', 'tenant', 'from', 'to', 'messageId'];
  kinds = ['RETRY', 'RESOLVE', 'DELETE'];
  emptyTitle = 'No dead letters';
  emptyText = 'A message becomes a dead letter when its handler gives it up. It is kept here until an operator decides.';
  columns = [
    { title: 'Type', cell: cells.message },
    { title: 'Handler', cell: cells.handler },
    { title: 'Key', cell: cells.key, class: 'code' },
    { title: 'Error', cell: (item) => html`<span class="clip">${item.error}</span>`, class: 'wide' },
    { title: 'Attempts', cell: (item) => whole(item.attempts), class: 'number' },
    { title: 'Died', cell: (item) => when(item.diedAt), class: 'number' },
  ];

  head() {
    return html`${heading(TITLE, 'Messages that are not tried again unless you say so.')}${tabs(this.route)}`;
  }
}
customElements.define('page-dead-letters', DeadLetters);

class DeadLetterGroups extends Page {
  head() {
    return html`${heading(TITLE, 'The latest dead letters, grouped by handler and error. Errors that differ in numbers, ids and quoted texts only are one group.')}${tabs(this.route)}`;
  }

  load(signal) {
    return get('dead-letters/groups', { handler: this.param('handler') }, signal);
  }

  view({ groups, examined, complete }) {
    if (groups.length === 0) {
      return empty('No dead letters', 'Nothing was given up.');
    }
    const most = Math.max(...groups.map((group) => group.letters));
    return html`<p class="figures">${counted(groups.length, 'group')} of ${complete ? '' : 'the latest '}${counted(examined, 'dead letter')}</p>
      <ul class="groups">${groups.map((group) => this.#group(group, most))}</ul>`;
  }

  #group(group, most) {
    return html`<li>
      <div class="group-count"><b>${whole(group.letters)}</b><meter aria-label="Share" min="0" max=${most} .value=${group.letters}></meter></div>
      <div class="group-text"><p class="code">${group.error}</p>
        <p class="hint">${group.handler} · newest ${when(group.newest.diedAt)} · <a href=${messageLink(group.newest)}>${group.newest.type}</a></p></div>
      <a class="button" href=${link(['dead-letters'], { handler: group.handler, error: commonPart(group) })}>Show these</a>
    </li>`;
  }
}
customElements.define('page-dead-letter-groups', DeadLetterGroups);

/** The longest part of the errors of a group that has no placeholder: the list can be filtered by it. */
function commonPart(group) {
  const parts = group.error
    .split(/#|"…"|…/)
    .map((part) => part.trim())
    .filter((part) => part && group.newest.error.includes(part));
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}
