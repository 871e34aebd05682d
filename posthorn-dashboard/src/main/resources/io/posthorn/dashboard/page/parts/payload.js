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

/** JSON with line breaks; anything else, and numbers that JSON.parse would round, as they are. */
export function pretty(text) {
  try {
    const value = JSON.parse(text);
    return sameFigures(text, value) ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

function sameFigures(text, value) {
  const squeeze = (json) => json.replace(/\s+/g, '');
  return squeeze(JSON.stringify(value)).length === squeeze(text).length;
}

export function headersTable(headers) {
  const names = Object.keys(headers).sort();
  return names.length === 0
    ? html`<p class="hint">No headers.</p>`
    : html`<dl class="headers">${names.map((name) => html`<div><dt class="code">${name}</dt><dd class="code">${headers[name]}</dd></div>`)}</dl>`;
}
