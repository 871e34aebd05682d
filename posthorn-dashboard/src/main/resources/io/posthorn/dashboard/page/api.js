// The REST API, below the directory of the page: `api/v1/…`.

import { outbox } from './route.js';

const BASE = new URL('api/v1/', document.baseURI);

/** Why the server did not do it (RFC 9457), or that it was not reached (status 0). */
export class Problem extends Error {
  constructor(status, title, detail) {
    super(detail || title);
    this.status = status;
    this.title = title;
  }
}

let csrf;

/** Who is asking and what they may do; remembers the header that changes need. */
export async function openSession() {
  const session = await get('session');
  csrf = session.csrf;
  return session;
}

export async function get(path, params = {}, signal = undefined) {
  return (await send(address(path, params), { signal })).body;
}

export function eventsAddress() {
  return address('events');
}

/** Asks for an action. Asked again with the same id, it is not carried out twice. The answer is the action, which may still be running. */
export function act(id, request) {
  return change('PUT', `actions/${id}`, request);
}

export function stopAction(id) {
  return change('POST', `actions/${id}/stop`, {});
}

async function change(method, path, body) {
  try {
    return await sendChange(method, path, body);
  } catch (problem) {
    if (problem.status !== 403 || !csrf) {
      throw problem;
    }
    // The token may have changed with the session. The action has an id, so that asking again is safe.
    await openSession();
    return sendChange(method, path, body);
  }
}

async function sendChange(method, path, body) {
  const headers = { 'Content-Type': 'application/json' };
  if (csrf) {
    headers[csrf.header] = csrf.token;
  }
  return (await send(address(path), { method, headers, body: JSON.stringify(body) })).body;
}

async function send(url, options) {
  let response;
  try {
    response = await fetch(url, { credentials: 'same-origin', cache: 'no-store', ...options });
  } catch (failure) {
    if (failure.name === 'AbortError') {
      throw failure;
    }
    throw new Problem(0, 'No connection', 'The server cannot be reached. The page tries again by itself.');
  }
  const body = await jsonOf(response);
  if (!response.ok) {
    throw new Problem(response.status, body?.title ?? `HTTP ${response.status}`, body?.detail ?? wordsFor(response.status));
  }
  if (body === undefined) {
    throw new Problem(response.status, 'Unexpected answer', 'The server did not answer with JSON. You may have to sign in again.');
  }
  return { status: response.status, body };
}

async function jsonOf(response) {
  const type = response.headers.get('Content-Type') ?? '';
  if (!/^application\/(problem\+)?json/.test(type)) {
    return undefined;
  }
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function wordsFor(status) {
  switch (status) {
    case 401:
      return 'You are not signed in.';
    case 403:
      return 'You are not allowed to do this.';
    case 404:
      return 'There is no such thing here.';
    default:
      return 'The server could not answer.';
  }
}

function address(path, params = {}) {
  const url = new URL(path, BASE);
  for (const [name, value] of Object.entries({ outbox: outbox(), ...params })) {
    if (value !== undefined && value !== null && value !== '') {
      url.searchParams.set(name, value);
    }
  }
  return url;
}

/** crypto.randomUUID() exists on HTTPS and localhost only. */
export function randomUuid() {
  const random = crypto.getRandomValues(new Uint8Array(16));
  random[6] = (random[6] & 0x0f) | 0x40;
  random[8] = (random[8] & 0x3f) | 0x80;
  const hex = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
