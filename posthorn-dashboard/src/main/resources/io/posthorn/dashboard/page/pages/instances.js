// The relays of the fleet and the partitions that they own.

import { get } from '../api.js';
import { ago, counted, whole } from '../format.js';
import { live } from '../live.js';
import { mayAct } from '../session.js';
import { perform } from '../parts/activity.js';
import { confirm } from '../parts/confirm.js';
import { html, nothing } from '../parts/element.js';
import { empty, heading, Page } from '../parts/page.js';
import { when } from '../parts/times.js';

class Instances extends Page {
  static properties = { found: { state: true } };

  head() {
    return heading('Partitions and instances', 'Each partition is a fixed part of the keys and is owned by one relay at a time.');
  }

  async load(signal) {
    const [instances, partitions] = await Promise.all([get('instances', {}, signal), get('partitions', {}, signal)]);
    return { instances: instances.items, partitions: partitions.items };
  }

  view({ instances, partitions }) {
    return html`<section><h2>Instances</h2>${instances.length ? this.#instances(instances) : empty('No relay is running', 'Nothing is delivered until one joins.')}</section>
      <section><div class="section-head"><h2>Partitions</h2>${this.#finder()}</div>${this.#partitions(partitions)}</section>`;
  }

  #instances(instances) {
    return html`<div class="table-box"><table class="list">
      <caption class="visually-hidden">Instances</caption>
      <thead><tr><th scope="col">Instance</th><th scope="col">Lease</th><th scope="col">Version</th><th scope="col">Handlers</th>
        <th scope="col" class="number">In memory</th><th scope="col" class="number">Partitions</th><th scope="col" class="number">Started</th></tr></thead>
      <tbody>${instances.map((instance) => html`<tr>
        <th scope="row" data-label="Instance"><b>${instance.name}</b></th>
        <td data-label="Lease"><span class="badge ${instance.leaseValid ? 'good' : 'bad'}">${instance.leaseValid ? 'valid' : 'ended'}</span></td>
        <td data-label="Version">${version(instance.status)}</td>
        <td data-label="Handlers" class="wide">${instance.handlers.join(', ') || 'none; it is about to leave'}</td>
        <td class="number" data-label="In memory">${instance.status ? whole(instance.status.inMemory) : '–'}</td>
        <td class="number" data-label="Partitions"><span title=${instance.partitions.join(', ')}>${instance.partitions.length}</span></td>
        <td class="number" data-label="Started">${when(instance.status?.startedAt)}</td>
      </tr>`)}</tbody></table></div>`;
  }

  #finder() {
    return html`<form class="finder" @submit=${this.#find}>
      <label class="field">Partition of a key <input name="key" required autocomplete="off" spellcheck="false"></label>
      <button>Find</button>
      <output>${this.found ?? nothing}</output>
    </form>`;
  }

  async #find(event) {
    event.preventDefault();
    try {
      const { partition, owner } = await get('partition-of-key', { key: new FormData(event.target).get('key') });
      this.found = `Partition ${partition}, ${owner ? `owned by ${owner}` : 'without an owner'}`;
    } catch (problem) {
      this.found = problem.message;
    }
  }

  #partitions(partitions) {
    const ready = new Map();
    for (const { partition, messages } of live.overview?.byPartition ?? []) {
      ready.set(partition, (ready.get(partition) ?? 0) + messages);
    }
    return html`<p class="figures">${counted(partitions.length, 'partition')}</p><div class="table-box"><table class="list dense">
      <caption class="visually-hidden">Partitions</caption>
      <thead><tr><th scope="col" class="number">Partition</th><th scope="col">Owner</th><th scope="col">State</th><th scope="col" class="number">Ready</th>
        <th scope="col" class="number">Epoch</th><th scope="col" class="number">Crashes</th>${mayAct() ? html`<th scope="col"><span class="visually-hidden">Actions</span></th>` : nothing}</tr></thead>
      <tbody>${partitions.map((partition) => html`<tr>
        <th scope="row" class="number" data-label="Partition">${partition.partition}</th>
        <td data-label="Owner">${partition.owner ?? html`<span class="badge bad">no owner</span>`}</td>
        <td data-label="State">${partition.paused ? html`<span class="badge warn">paused ${partition.pausedSince ? ago(partition.pausedSince) : ''}</span>` : html`<span class="badge">reading</span>`}</td>
        <td class="number" data-label="Ready">${whole(ready.get(partition.partition) ?? 0)}</td>
        <td class="number" data-label="Epoch">${partition.epoch}</td>
        <td class="number" data-label="Crashes">${partition.crashes}</td>
        ${mayAct() ? html`<td class="row-actions">${this.#button(partition)}</td>` : nothing}
      </tr>`)}</tbody></table></div>`;
  }

  #button({ partition, paused }) {
    return paused
      ? html`<button type="button" class="primary" aria-label="Resume partition ${partition}" @click=${() => this.#act('RESUME', partition)}>Resume</button>`
      : html`<button type="button" class="quiet" aria-label="Pause partition ${partition}" @click=${() => this.#pause(partition)}>Pause</button>`;
  }

  async #pause(partition) {
    const why = await confirm({
      title: `Pause partition ${partition}?`,
      text: 'No relay reads further messages of it until it is resumed. Those in memory are still delivered.',
      button: 'Pause partition',
    });
    if (why !== undefined) {
      this.#act('PAUSE', partition, why);
    }
  }

  #act(kind, partition, why) {
    return perform({ kind, partition, ...(why ? { why } : {}) }, { name: `partition ${partition}` });
  }
}
customElements.define('page-instances', Instances);

function version(status) {
  if (!status) {
    return '–';
  }
  const posthorn = `Posthorn ${status.version}`;
  return status.applicationVersion ? html`${status.applicationVersion}<span class="sub">${posthorn}</span>` : posthorn;
}
