// The state of the outbox at a glance: what needs attention, the figures, the last hour.

import { get } from '../api.js';
import { counted, duration, rate, whole } from '../format.js';
import { live } from '../live.js';
import { link } from '../route.js';
import '../parts/chart.js';
import { html, nothing } from '../parts/element.js';
import { heading, Page } from '../parts/page.js';

/** Older ready messages than this are worth a look. */
const OLD_SECONDS = 60;

class Overview extends Page {
  #onLive = () => this.requestUpdate();

  connectedCallback() {
    super.connectedCallback();
    live.addEventListener('change', this.#onLive);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    live.removeEventListener('change', this.#onLive);
  }

  head() {
    return heading('Overview');
  }

  async load(signal) {
    const [overview, recent, handlers, partitions, blocked] = await Promise.all([
      get('overview', {}, signal),
      get('recent', {}, signal),
      get('handlers', {}, signal),
      get('partitions', {}, signal),
      get('lanes', { limit: 100 }, signal),
    ]);
    return { overview, recent: recent.items, handlers: handlers.items, partitions: partitions.items, blocked };
  }

  view(data) {
    const overview = live.overview ?? data.overview;
    return html`${attention(overview, data)}${tiles(overview, data.recent.at(-1))}
      <div class="charts">${charts(data.recent)}</div>`;
  }
}
customElements.define('page-overview', Overview);

function attention(overview, { handlers, partitions, blocked }) {
  const down = handlers.filter((handler) => handler.circuitOpen);
  const paused = handlers.filter((handler) => handler.paused);
  const absent = handlers.filter((handler) => handler.instances.length === 0 && (handler.deferred > 0 || handler.paused));
  const orphaned = partitions.filter((partition) => !partition.owner);
  const stopped = partitions.filter((partition) => partition.paused);
  const lanes = blocked.items.length;
  const points = [
    overview.instances === 0 && ['bad', 'No relay is running. Nothing is delivered.', ['instances']],
    down.length && ['bad', `Destination down: ${names(down)}. Messages wait and lose no attempts.`, ['handlers']],
    orphaned.length && overview.instances > 0 && ['bad', `${counted(orphaned.length, 'partition')} without an owner.`, ['instances']],
    overview.dead > 0 && ['bad', `${amount(overview.dead, overview.capped, 'dead letter')} ${overview.dead === 1 ? 'waits' : 'wait'} for a decision.`, ['dead-letters']],
    lanes && ['warn', `${blocked.cursor ? 'More than ' : ''}${counted(lanes, 'lane')} blocked.`, ['lanes']],
    paused.length && ['warn', `Paused: ${names(paused)}.`, ['handlers']],
    stopped.length && ['warn', `${counted(stopped.length, 'partition')} paused.`, ['instances']],
    absent.length && ['warn', `No instance has the handler: ${names(absent)}.`, ['handlers']],
    overview.oldestReadySeconds > OLD_SECONDS && ['warn', `The oldest ready message has waited for ${duration(overview.oldestReadySeconds)}.`, ['waiting'], { view: 'ready' }],
  ].filter(Boolean);
  return html`<section aria-labelledby="attention">
    <h2 id="attention" class="visually-hidden">What needs attention</h2>
    ${points.length === 0
      ? html`<p class="all-well"><i class="dot good"></i>All is well. Nothing needs your attention.</p>`
      : html`<ul class="attention">${points.map(([tone, text, path, params]) => html`<li class=${tone}>
          <a href=${link(path, params)}><i class="dot ${tone}"></i><span>${text}</span><span class="arrow" aria-hidden="true">→</span></a></li>`)}</ul>`}
  </section>`;
}

function tiles(overview, latest) {
  return html`<dl class="tiles">
    ${tile('Published', rate(latest?.publishedPerSecond), 'per second')}
    ${tile('Delivered', rate(latest?.deliveredPerSecond), 'per second')}
    ${tile('Lag', duration(overview.oldestReadySeconds), 'oldest ready message')}
    ${tile('Waiting', plus(overview.ready + overview.deferred, overview.capped), `${whole(overview.ready)} ready, ${whole(overview.deferred)} deferred`, ['waiting'])}
    ${tile('Dead letters', plus(overview.dead, overview.capped), 'wait for a decision', ['dead-letters'], overview.dead ? 'bad' : '')}
    ${tile('Instances', whole(overview.instances), 'relays at work', ['instances'], overview.instances ? '' : 'bad')}
  </dl>`;
}

function tile(label, value, note, path, tone = '') {
  return html`<div class="tile ${tone}">
    <dt>${path ? html`<a href=${link(path)}>${label}</a>` : label}</dt>
    <dd><b>${value}</b><span>${note}</span></dd>
  </div>`;
}

function charts(recent) {
  const line = (name, color, property) => ({ name, color, points: recent.map((sample) => [Date.parse(sample.at), sample[property] ?? 0]) });
  return html`
    <posthorn-chart .heading=${'Messages per second'} .format=${rate}
      .lines=${[line('Published', 'series-1', 'publishedPerSecond'), line('Delivered', 'series-2', 'deliveredPerSecond'), line('Failed', 'series-3', 'failedPerSecond')]}></posthorn-chart>
    <posthorn-chart .heading=${'Lag'} .format=${duration} .lines=${[line('Oldest ready message', 'series-1', 'oldestReadySeconds')]}></posthorn-chart>
    <posthorn-chart .heading=${'Waiting messages'} .format=${whole}
      .lines=${[line('Ready', 'series-1', 'ready'), line('Deferred', 'series-2', 'deferred')]}></posthorn-chart>
    <posthorn-chart .heading=${'Dead letters'} .format=${whole} .lines=${[line('Dead letters', 'series-3', 'deadLetters')]}></posthorn-chart>`;
}

function names(handlers) {
  const [first, second, ...others] = handlers.map((handler) => handler.name);
  return [first, second].filter(Boolean).join(', ') + (others.length ? ` and ${others.length} more` : '');
}

function amount(count, capped, noun) {
  return `${capped ? 'At least ' : ''}${counted(count, noun)}`;
}

function plus(count, capped) {
  return whole(count) + (capped ? '+' : '');
}
