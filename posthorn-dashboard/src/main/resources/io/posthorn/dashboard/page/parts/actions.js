// What operators can do, in words.

import { counted } from '../format.js';

const WORDS = {
  RETRY: ['Retry', 'Retried'],
  RESOLVE: ['Resolve', 'Resolved'],
  DELETE: ['Delete', 'Deleted'],
  EDIT_HEADERS: ['Edit headers', 'Edited the headers of'],
  EDIT_PAYLOAD: ['Edit payload', 'Edited the payload of'],
  RUN_NOW: ['Run now', 'Made due'],
  CANCEL: ['Cancel', 'Cancelled'],
  SKIP: ['Skip', 'Skipped'],
  BLOCK: ['Block', 'Blocked'],
  UNBLOCK: ['Unblock', 'Unblocked'],
  REPLAY: ['Deliver again', 'Delivering again'],
  REOPEN: ['Reopen', 'Reopened'],
  PAUSE: ['Pause', 'Paused'],
  RESUME: ['Resume', 'Resumed'],
  FORGET: ['Forget', 'Forgot'],
};

/** What it does, for the dialog that asks for confirmation. */
const EFFECTS = {
  RETRY: 'They are delivered again, with no attempts counted.',
  RESOLVE: 'They are marked as dealt with and are not delivered. They stay in the history for as long as the relay keeps it, or 7 days.',
  DELETE: 'They are deleted for good and are never delivered. This cannot be undone.',
  RUN_NOW: 'They become due at once. Those that stand behind others of their lane still wait for them.',
  CANCEL: 'They are deleted for good and are never delivered to this handler. This cannot be undone.',
  SKIP: 'They become dead letters, so that their lanes go on.',
  REPLAY: 'They are delivered once more to the handlers that had them.',
  REOPEN: 'They become dead letters again.',
};

const DESTRUCTIVE = new Set(['DELETE', 'CANCEL']);

export function verb(kind) {
  return WORDS[kind]?.[0] ?? kind;
}

export function done(kind) {
  return WORDS[kind]?.[1] ?? kind;
}

export function effect(kind) {
  return EFFECTS[kind] ?? '';
}

export function destructive(kind) {
  return DESTRUCTIVE.has(kind);
}

/** The request that takes an action back, or undefined: there is none. */
export function undoOf(request) {
  const back = { PAUSE: 'RESUME', RESUME: 'PAUSE', BLOCK: 'UNBLOCK', RESOLVE: 'REOPEN' }[request.kind];
  if (!back || (request.kind === 'RESOLVE' && !request.ids)) {
    return undefined;
  }
  const { why, ...rest } = request;
  return { ...rest, kind: back };
}

/** `1 dead letter`, `12 messages`; `more than` if counting ended at its limit. */
export function amount(count, noun) {
  return (count.complete ? '' : 'more than ') + counted(count.entries, noun);
}
