// The figures of the overview, kept up to date: by server-sent events, and by polling where those do not come through.

import { eventsAddress, get } from './api.js';

const POLL_MILLIS = 3_000;
/** A stream that is silent for longer is not trusted. */
const SILENCE_MILLIS = 20_000;
/** How long to poll before the stream is tried again. */
const RETRY_MILLIS = 60_000;

/** Emits `change` whenever `overview`, `problem` or `connected` has changed. */
class Live extends EventTarget {
  overview = undefined;
  problem = undefined;
  /** Whether the last attempt to hear from the server succeeded. */
  connected = false;
  #started = false;
  #source;
  #timer;
  #heardAt = 0;
  #closedAt = 0;

  constructor() {
    super();
    // Browsers open six connections to a server over HTTP/1.1, for all tabs together: one that nobody looks at must not take any.
    document.addEventListener('visibilitychange', () => (document.hidden ? this.#pause() : this.#resume()));
    addEventListener('pagehide', () => this.#pause());
    addEventListener('pageshow', (event) => event.persisted && this.#resume());
  }

  start() {
    this.#started = true;
    this.#pause();
    this.#resume();
  }

  #resume() {
    if (this.#started && !document.hidden && this.#timer === undefined) {
      this.#listen();
      this.#poll();
      this.#timer = setInterval(() => this.#tick(), POLL_MILLIS);
    }
  }

  #pause() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#close();
  }

  /** Asks at once, for after an action. */
  refresh() {
    return this.#poll();
  }

  #listen() {
    this.#heardAt = Date.now();
    this.#source = new EventSource(eventsAddress());
    this.#source.addEventListener('overview', (event) => this.#heard(JSON.parse(event.data)));
    this.#source.addEventListener('error', () => {
      if (this.#source?.readyState === EventSource.CLOSED) {
        this.#close();
      }
    });
  }

  #close() {
    this.#source?.close();
    this.#source = undefined;
    this.#closedAt = Date.now();
  }

  #tick() {
    if (this.#source && Date.now() - this.#heardAt > SILENCE_MILLIS) {
      this.#close();
    }
    if (!this.#source && Date.now() - this.#closedAt > RETRY_MILLIS) {
      this.#listen();
    }
    if (!this.#source || Date.now() - this.#heardAt > POLL_MILLIS) {
      this.#poll();
    }
  }

  async #poll() {
    try {
      this.#take(await get('overview'));
    } catch (problem) {
      this.problem = problem;
      this.connected = false;
      this.#changed();
    }
  }

  #heard(overview) {
    this.#heardAt = Date.now();
    this.#take(overview);
  }

  #take(overview) {
    this.overview = overview;
    this.problem = undefined;
    this.connected = true;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}

export const live = new Live();
