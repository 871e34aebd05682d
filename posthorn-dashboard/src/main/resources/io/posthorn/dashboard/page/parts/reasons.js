// Why a message waits, in words.

import { html } from './element.js';

const REASONS = {
  RETRYING: ['retrying', 'It failed and is tried again at its due time', 'warn'],
  HELD: ['held', 'It stands behind an earlier message of its lane', ''],
  WAITING: ['waiting', 'Its handler could not take it yet: too busy, paused, or known to another instance only', ''],
  DELAYED: ['delayed', 'It was published to be delivered later', ''],
  SUSPECT: ['suspect', 'Its relays died while they were at work on it; it is handed over alone', 'bad'],
  ELSEWHERE: ['elsewhere', 'Another instance takes its type', ''],
  UNCLAIMED: ['unclaimed', 'No live instance takes its type', 'warn'],
  SETTLED: ['settled', 'Its handler is done with it', 'good'],
  BLOCKED: ['blocked', 'It keeps its lane blocked until an operator decides', 'bad'],
};

export function reasonBadge(reason) {
  const [word, text, tone] = REASONS[reason] ?? [reason, '', ''];
  return html`<span class="badge ${tone}" title=${text}>${word}</span>`;
}

export function reasonText(reason) {
  return REASONS[reason]?.[1] ?? '';
}
