// Headers and payload of a dead letter, to be changed before it is delivered again.

import { Element, html, nothing } from './element.js';
import { pretty } from './payload.js';

class EditDialog extends Element {
  static properties = { entry: { state: true }, headers: { state: true }, withPayload: { state: true } };

  #answer;
  /** The payload as the text area shows it, which has other line ends than it was given. */
  #shown;

  async open(entry, withPayload) {
    this.entry = entry;
    this.withPayload = withPayload && entry.payload?.text !== undefined;
    this.headers = Object.entries(entry.headers).sort();
    await this.updateComplete;
    const dialog = this.querySelector('dialog');
    dialog.querySelector('form').reset();
    this.querySelectorAll('.header-row').forEach((row, index) => {
      [row.querySelector('.name').value, row.querySelector('.value').value] = this.headers[index];
    });
    if (this.withPayload) {
      const area = dialog.querySelector('textarea');
      area.value = pretty(entry.payload.text);
      this.#shown = area.value;
    }
    dialog.showModal();
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  render() {
    return html`<dialog class="broad" aria-labelledby="edit-title" @close=${() => this.#settle(undefined)}>
      <form method="dialog" @submit=${this.#submit}>
        <h2 id="edit-title">Edit ${this.entry?.type}</h2>
        <p>The original is kept with the action. Values that are masked keep what they stand for if you leave them as they are.</p>
        <fieldset><legend>Headers</legend>
          ${(this.headers ?? []).map((header, index) => html`<div class="header-row">
            <input class="name code" aria-label="Name of header ${index + 1}" maxlength="200" spellcheck="false">
            <input class="value code" aria-label="Value of header ${index + 1}" spellcheck="false">
            <button type="button" class="quiet" aria-label="Remove header ${index + 1}" @click=${(event) => this.#clear(event)}>✕</button></div>`)}
          <button type="button" @click=${() => (this.headers = [...this.headers, ['', '']])}>Add header</button>
        </fieldset>
        ${this.withPayload
          ? html`<label class="field">Payload <textarea class="code" rows="12" spellcheck="false"></textarea></label>`
          : html`<p class="hint">The payload cannot be edited here: it is not text, or you may not see it.</p>`}
        <label class="field"><span>Reason <span class="hint">(optional, recorded with the action)</span></span><input name="why" maxlength="1000" autocomplete="off"></label>
        <div class="buttons">
          <button type="button" @click=${() => this.querySelector('dialog').close()}>Keep as it is</button>
          <button value="save">Save</button>
          <button class="primary" value="retry">Save and retry</button>
        </div>
      </form>
    </dialog>`;
  }

  /** A header without a name is dropped. */
  #clear(event) {
    const row = event.target.closest('.header-row');
    row.querySelectorAll('input').forEach((input) => (input.value = ''));
    row.hidden = true;
  }

  #submit(event) {
    event.preventDefault();
    const answer = { retry: event.submitter?.value === 'retry', why: new FormData(event.target).get('why').trim() };
    const headers = this.#typedHeaders();
    if (!same(headers, this.entry.headers)) {
      answer.headers = headers;
    }
    const text = this.querySelector('textarea')?.value;
    if (this.withPayload && text !== this.#shown) {
      answer.payload = { text };
    }
    this.#settle(answer.headers || answer.payload || answer.retry ? answer : undefined);
    this.querySelector('dialog').close();
  }

  #typedHeaders() {
    const headers = {};
    for (const row of this.querySelectorAll('.header-row')) {
      const name = row.querySelector('.name').value.trim();
      if (name) {
        headers[name] = row.querySelector('.value').value;
      }
    }
    return headers;
  }

  #settle(answer) {
    this.#answer?.(answer);
    this.#answer = undefined;
  }
}
customElements.define('posthorn-edit', EditDialog);

/** What is to be changed: `{headers?, payload?, retry, why}`, or undefined: nothing. */
export function editDialog(entry, withPayload) {
  return document.querySelector('posthorn-edit').open(entry, withPayload);
}

function same(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
