// Payloads and headers, always as text.

import { bytes } from '../format.js';
import { html, nothing } from './element.js';

export function payloadView(payload) {
  if (!payload) {
    return html`<p class="hint">The payload is not shown.</p>`;
  }
  const about = [payload.contentType, bytes(payload.bytes)].filter(Boolean).join(' · ');
  return html`<p class="hint">${about}${payload.masked ? html` · <span class="badge">parts are masked</span>` : nothing}</p>
    ${payload.tombstone
      ? html`<p>No payload on purpose (a tombstone).</p>`
      : payload.hidden
        ? html`<p>${payload.hidden}</p>`
        : html`<pre class="payload" tabindex="0" role="group" aria-label="Payload">${payload.text === undefined ? payload.base64 : pretty(payload.text)}</pre>`}`;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"{}[\],:]+|[{}[\],:]/g;
const MAX_INDENT = 40;

/**
 * JSON with line breaks; anything else as it is. Values are copied, never parsed and written again: JavaScript rounds
 * numbers of more than 15 digits and reorders members.
 */
export function pretty(text) {
  try {
    JSON.parse(text);
    return indented(text);
  } catch {
    return text;
  }
}

function indented(json) {
  const parts = [];
  let depth = 0;
  let before = '';
  const line = () => '\n' + '  '.repeat(Math.min(depth, MAX_INDENT));
  for (const [token] of json.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']';
    const first = before === '{' || before === '[';
    depth -= closes ? 1 : 0;
    if (closes ? !first : first || before === ',') {
      parts.push(line());
    }
    parts.push(token === ':' ? ': ' : token);
    depth += token === '{' || token === '[' ? 1 : 0;
    before = token;
  }
  return parts.join('');
}

export function headersTable(headers) {
  const names = Object.keys(headers).sort();
  return names.length === 0
    ? html`<p class="hint">No headers.</p>`
    : html`<dl class="headers">${names.map((name) => html`<div><dt class="code">${name}</dt><dd class="code">${headers[name]}</dd></div>`)}</dl>`;
}
