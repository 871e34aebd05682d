// Actions of this visit: how far they are, what came of them, and what takes them back. `/actions` has those of everybody.

import { act, get, randomUuid, stopAction } from '../api.js';
import { counted, whole } from '../format.js';
import { live } from '../live.js';
import { link } from '../route.js';
import { done, undoOf, verb } from './actions.js';
import { Element, html, nothing } from './element.js';

const POLL_MILLIS = 400;
const MAX_SHOWN = 3;
/** An action that has not moved for longer is asked for again. */
const STANDSTILL_MILLIS = 5_000;
/** For how long a server that does not answer is asked again. */
const OUTAGE_MILLIS = 60_000;

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
      return (await this.#follow(run)).state === 'DONE';
    } catch (problem) {
      this.#update(run, { problem });
      return false;
    } finally {
      changes.dispatchEvent(new Event('change'));
      live.refresh();
    }
  }

  /**
   * Waits until the action has ended. One whose server was restarted, or lost its database, is recorded as running and
   * stands still: asked for again with the same id, it goes on where it was.
   */
  async #follow(run) {
    let action = await act(run.id, run.request);
    let answeredAt = performance.now();
    let movedAt = answeredAt;
    this.#update(run, { action });
    while (action.state === 'RUNNING') {
      await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS));
      const standsStill = performance.now() - movedAt > STANDSTILL_MILLIS;
      try {
        const now = standsStill ? await act(run.id, run.request) : await get(`actions/${run.id}`);
        answeredAt = performance.now();
        if (standsStill || now.changedAt !== action.changedAt) {
          movedAt = answeredAt;
        }
        action = now;
        this.#update(run, { action });
      } catch (problem) {
        if (!mayPass(problem) || performance.now() - answeredAt > OUTAGE_MILLIS) {
          throw problem;
        }
        movedAt = performance.now();
      }
    }
    return action;
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
          ${mayPass(problem) ? html`<button type="button" @click=${() => this.#carryOut(run)}>Try again</button>` : nothing}
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

/** No connection, or a server that is starting, ending, or without its database. */
function mayPass(problem) {
  return problem.status === 0 || problem.status >= 500;
}

export function perform(request, description) {
  return document.querySelector('posthorn-activity').start(request, description);
}
