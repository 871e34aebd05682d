// What slows the database down, and what to do about it.

import { get } from '../api.js';
import { bytes, duration, whole } from '../format.js';
import { html, nothing } from '../parts/element.js';
import { heading, Page } from '../parts/page.js';
import { when } from '../parts/times.js';

class Database extends Page {
  head() {
    return heading('Database health', 'What keeps the database from cleaning up after the outbox, and how large its tables are.');
  }

  load(signal) {
    return get('database', {}, signal);
  }

  view({ findings, unseen, oldest, historyLength, floorLag, tables }) {
    return html`
      <section><h2>Findings</h2>
        ${findings.length === 0
          ? html`<p class="all-well"><i class="dot good"></i>Nothing to improve.</p>`
          : html`<ul class="findings">${findings.map((finding) => html`<li><p><b>${finding.found}</b></p><p>${finding.advice}</p>
              <span class="badge">${finding.topic.toLowerCase().replaceAll('_', ' ')}</span></li>`)}</ul>`}
        ${unseen.length ? html`<div class="notice"><div><strong>Not everything could be asked.</strong><ul>${unseen.map((text) => html`<li>${text}</li>`)}</ul></div></div>` : nothing}
      </section>
      <dl class="facts">
        <div class="broad"><dt>Oldest transaction</dt><dd>${oldest ? html`${oldest.who}${oldest.ageSeconds === undefined ? '' : `, open for ${duration(oldest.ageSeconds)}`}` : 'none that matters'}</dd></div>
        ${historyLength === undefined ? nothing : html`<div><dt>History length</dt><dd>${whole(historyLength)}</dd></div>`}
        ${floorLag === undefined ? nothing : html`<div><dt>Reads begin behind the last message by</dt><dd>${whole(floorLag)}</dd></div>`}
      </dl>
      <section><h2>Tables</h2>
        <div class="table-box"><table class="list">
          <caption class="visually-hidden">Tables</caption>
          <thead><tr><th scope="col">Table</th><th scope="col" class="number">Rows (estimate)</th><th scope="col" class="number">Dead rows</th><th scope="col" class="number">Size</th>
            <th scope="col" class="number">Indexes</th><th scope="col" class="number">Last vacuum</th></tr></thead>
          <tbody>${tables.map((table) => html`<tr>
            <th scope="row" class="code" data-label="Table">${table.name}</th>
            <td class="number" data-label="Rows (estimate)">${whole(table.rows)}</td>
            <td class="number" data-label="Dead rows">${table.deadRows === undefined ? '–' : whole(table.deadRows)}</td>
            <td class="number" data-label="Size">${bytes(table.bytes)}</td>
            <td class="number" data-label="Indexes">${bytes(table.indexBytes)}</td>
            <td class="number" data-label="Last vacuum">${when(table.vacuumedAt)}</td>
          </tr>`)}</tbody></table></div>
      </section>`;
  }
}
customElements.define('page-database', Database);
