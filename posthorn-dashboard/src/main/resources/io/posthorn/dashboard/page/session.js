// Who is asking and what they may do. The server decides; the page only leaves out what it would refuse.

import { openSession } from './api.js';

let session;

export async function loadSession() {
  session = await openSession();
  return session;
}

export function mayAct() {
  return session !== undefined && !session.readOnly && session.permissions.includes('ACT');
}

export function maySeePayloads() {
  return session !== undefined && session.permissions.includes('SEE_PAYLOADS');
}
