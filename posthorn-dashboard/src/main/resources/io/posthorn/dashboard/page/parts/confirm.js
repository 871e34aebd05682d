// Asks before something is changed: says to how many, what happens, and takes the reason that is recorded with it.

import { Element, html, nothing } from './element.js';

class Confirm extends Element {
  static properties = { question: { state: true } };

  #answer;

  /** Shows the dialog; the reason, possibly empty, or undefined if the operator thought better of it. */
  async ask(question) {
    this.question = question;
    await this.updateComplete;
    const dialog = this.querySelector('dialog');
    dialog.querySelector('form').reset();
    dialog.showModal();
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  render() {
    const question = this.question;
    return html`<dialog aria-labelledby="confirm-title" @close=${this.#closed}>
      <form method="dialog" @submit=${this.#confirmed}>
        <h2 id="confirm-title">${question?.title}</h2>
        ${question?.target ? html`<p class="target">${question.target}</p>` : nothing}
        <p>${question?.text}</p>
        <label class="field"><span>Reason <span class="hint">(optional, recorded with the action)</span></span>
          <input name="why" maxlength="1000" autocomplete="off">
        </label>
        <div class="buttons">
          <button type="button" @click=${() => this.querySelector('dialog').close()}>Keep as it is</button>
          <button class=${question?.danger ? 'danger' : 'primary'}>${question?.button}</button>
        </div>
      </form>
    </dialog>`;
  }

  #confirmed(event) {
    event.preventDefault();
    const why = new FormData(event.target).get('why').trim();
    this.#settle(why);
    this.querySelector('dialog').close();
  }

  #closed() {
    this.#settle(undefined);
  }

  #settle(answer) {
    this.#answer?.(answer);
    this.#answer = undefined;
  }
}
customElements.define('posthorn-confirm', Confirm);

/** @param question title, target (what is changed), text (what happens), button, danger */
export function confirm(question) {
  return document.querySelector('posthorn-confirm').ask(question);
}
