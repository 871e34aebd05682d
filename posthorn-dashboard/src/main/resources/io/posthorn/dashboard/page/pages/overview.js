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
    const [overview, series, handlers, partitions, blocked] = await Promise.all([
      get('overview', {}, signal),
      get('series', {}, signal),
      get('handlers', {}, signal),
      get('partitions', {}, signal),
      get('lanes', { limit: 100 }, signal),
    ]);
    return { overview, series: series.items, handlers: handlers.items, partitions: partitions.items, blocked };
  }

  view(data) {
    const overview = live.overview ?? data.overview;
    return html`${attention(overview, data)}${tiles(overview)}
      <div class="charts">${charts(data.series)}</div>`;
  }
}
customElements.define('page-overview', Overview);

function attention(overview, { handlers, partitions, blocked }) {
  const down = handlers.filter((handler) => handler.circuitOpen.length > 0);
  const paused = handlers.filter((handler) => handler.paused);
  const absent = handlers.filter((handler) => handler.relays.length === 0);
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

function tiles(overview) {
  const { published, delivered } = overview.perSecond ?? {};
  return html`<dl class="tiles">
    ${tile('Published', rate(published), 'per second')}
    ${tile('Delivered', rate(delivered), 'per second')}
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

function charts(series) {
  const line = (name, color, value) => ({ name, color, points: series.map((sample) => [Date.parse(sample.at), value(sample)]) });
  const perSecond = (name, color, rateName) => line(name, color, (sample) => sample.perSecond[rateName]);
  return html`
    <posthorn-chart .heading=${'Messages per second'} .format=${rate}
      .lines=${[perSecond('Published', 'series-1', 'published'), perSecond('Delivered', 'series-2', 'delivered'), perSecond('Retried', 'series-3', 'retried')]}></posthorn-chart>
    <posthorn-chart .heading=${'Lag'} .format=${duration} .lines=${[line('Oldest ready message', 'series-1', (sample) => sample.oldestReadySeconds)]}></posthorn-chart>
    <posthorn-chart .heading=${'Waiting messages'} .format=${whole}
      .lines=${[line('Ready', 'series-1', (sample) => sample.ready), line('Deferred', 'series-2', (sample) => sample.deferred)]}></posthorn-chart>
    <posthorn-chart .heading=${'Dead letters'} .format=${whole} .lines=${[line('Dead letters', 'series-3', (sample) => sample.dead)]}></posthorn-chart>`;
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
