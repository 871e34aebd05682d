// Actions of this visit: how far they are, what came of them, and what takes them back. `/actions` has those of everybody.

import { act, get, randomUuid, stopAction } from '../api.js';
import { counted, whole } from '../format.js';
import { live } from '../live.js';
import { link } from '../route.js';
import { done, undoOf, verb } from './actions.js';
import { Element, html, nothing } from './element.js';

const POLL_MILLIS = 400;
const MAX_SHOWN = 3;

/** Emits `change` when an action has changed something, so that pages load again. */
export const changes = new EventTarget();

class Activity extends Element {
  static properties = { runs: { state: true } };

  constructor() {
    super();
    this.runs = [];
  }

  /**
   * Carries an action out and shows how it goes. Returns whether it was done.
   *
   * @param what noun of what it is done to (`dead letter`), or the name of the one thing
   * @param total how many there are, if that is known
   */
  async start(request, { noun, name, total }) {
    const run = { id: randomUuid(), request, noun, name, total, action: undefined, problem: undefined };
    this.runs = [...this.runs, run].slice(-MAX_SHOWN);
    return this.#carryOut(run);
  }

  async #carryOut(run) {
    this.#update(run, { problem: undefined });
    try {
      let action = await act(run.id, run.request);
      this.#update(run, { action });
      while (action.state === 'RUNNING') {
        await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS));
        action = await get(`actions/${run.id}`);
        this.#update(run, { action });
      }
      return action.state === 'DONE';
    } catch (problem) {
      this.#update(run, { problem });
      return false;
    } finally {
      changes.dispatchEvent(new Event('change'));
      live.refresh();
    }
  }

  #update(run, part) {
    Object.assign(run, part);
    this.requestUpdate();
  }

  render() {
    return html`<section class="activity" aria-label="Your actions" role="status">
      ${this.runs.map((run) => html`<div class="run ${run.problem ? 'bad' : ''}">${this.#run(run)}</div>`)}
    </section>`;
  }

  #run(run) {
    const { action, problem } = run;
    if (problem) {
      return html`<p><strong>${verb(run.request.kind)}: ${problem.title ?? 'failed'}</strong> ${problem.message}</p>
        <div class="buttons">
          ${problem.status === 0 ? html`<button type="button" @click=${() => this.#carryOut(run)}>Try again</button>` : nothing}
          ${this.#dismissal(run)}
        </div>`;
    }
    if (!action || action.state === 'RUNNING') {
      const so = action?.entries ?? 0;
      return html`<p><strong>${verb(run.request.kind)}</strong> ${run.name ?? ''}
          ${run.total === undefined ? nothing : html`<span class="figures">${whole(so)} of ${whole(run.total)}</span>`}</p>
        <progress aria-label="Progress" max=${run.total ?? 1} .value=${so}></progress>
        <div class="buttons">
          ${action ? html`<button type="button" @click=${() => this.#stop(run)}>Stop</button>` : nothing}
        </div>`;
    }
    const undo = undoOf(run.request);
    return html`<p><strong>${this.#result(run)}</strong></p>
      <div class="buttons">
        ${undo && action.entries > 0
          ? html`<button type="button" @click=${() => this.#undo(run, undo)}>Undo</button>`
          : nothing}
        <a class="button" href=${link(['actions', action.id])}>Details</a>
        ${this.#dismissal(run)}
      </div>`;
  }

  #result({ request, action, noun, name }) {
    const what = name ?? counted(action.entries, noun);
    if (action.entries === 0) {
      return name ? `Nothing to change: ${name}` : `Nothing left to do: no ${noun} matched`;
    }
    return action.state === 'STOPPED' ? `Stopped after ${what}` : `${done(request.kind)} ${what}`;
  }

  #dismissal(run) {
    return html`<button type="button" aria-label="Dismiss" @click=${() => this.#dismiss(run)}>✕</button>`;
  }

  async #undo(run, request) {
    this.#dismiss(run);
    await this.start(request, { noun: run.noun, name: run.name, total: run.action.entries });
  }

  #dismiss(run) {
    this.runs = this.runs.filter((other) => other !== run);
  }

  async #stop(run) {
    try {
      await stopAction(run.id);
    } catch (problem) {
      this.#update(run, { problem });
    }
  }
}
customElements.define('posthorn-activity', Activity);

export function perform(request, description) {
  return document.querySelector('posthorn-activity').start(request, description);
}
