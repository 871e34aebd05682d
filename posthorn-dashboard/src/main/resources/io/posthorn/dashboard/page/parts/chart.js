// A line chart of the last hour. Its description says in words what it draws.

import '../lib/chart.js/chart.umd.min.js';
import { clock } from '../format.js';
import { Element, html, nothing } from './element.js';

const Chart = globalThis.Chart;
const TICK_MILLIS = 15 * 60_000;
const dark = matchMedia('(prefers-color-scheme: dark)');

class LineChart extends Element {
  static properties = {
    heading: { attribute: false },
    /** `[{name, color (a custom property), points: [[millis, value]]}]` */
    lines: { attribute: false },
    /** How a value is written. */
    format: { attribute: false },
  };

  #chart;
  #recolor = () => this.#draw();

  connectedCallback() {
    super.connectedCallback();
    dark.addEventListener('change', this.#recolor);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    dark.removeEventListener('change', this.#recolor);
    this.#chart?.destroy();
    this.#chart = undefined;
  }

  render() {
    return html`<figure class="chart">
      <figcaption><h2>${this.heading}</h2>
        <ul class="legend">${this.lines.map((line) => html`<li><i class="swatch ${line.color}"></i>${line.name}
          <b>${line.points.length ? this.format(line.points.at(-1)[1]) : '–'}</b></li>`)}</ul></figcaption>
      <div class="canvas"><canvas role="img" aria-label=${this.#description()}></canvas></div>
      ${this.lines.some((line) => line.points.length > 1) ? nothing : html`<p class="hint overlay">Figures are collected from now on.</p>`}
    </figure>`;
  }

  updated() {
    this.#draw();
  }

  #description() {
    const parts = this.lines
      .filter((line) => line.points.length)
      .map((line) => {
        const values = line.points.map(([, value]) => value);
        return `${line.name} now ${this.format(values.at(-1))}, at most ${this.format(Math.max(...values))}`;
      });
    return `${this.heading}, last hour: ${parts.join('; ') || 'no figures yet'}`;
  }

  #draw() {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    const datasets = this.lines.map((line) => ({
      label: line.name,
      data: line.points.map(([x, y]) => ({ x, y })),
      borderColor: color(line.color),
      backgroundColor: color(line.color),
      borderWidth: 1.75,
      pointRadius: 0,
      pointHitRadius: 8,
      tension: 0.25,
    }));
    const now = Math.max(Date.now(), ...this.lines.flatMap((line) => line.points.slice(-1).map(([x]) => x)));
    const options = this.#options(color, now);
    if (this.#chart) {
      this.#chart.data.datasets = datasets;
      this.#chart.options = options;
      this.#chart.update('none');
    } else {
      this.#chart = new Chart(this.querySelector('canvas'), { type: 'line', data: { datasets }, options });
    }
  }

  #options(color, now) {
    const ticks = { color: color('muted'), font: { family: 'system-ui, sans-serif', size: 11 } };
    return {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      normalized: true,
      interaction: { mode: 'index', intersect: false },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: (items) => (items.length ? clock(items[0].parsed.x) : ''),
            label: (item) => `${item.dataset.label}  ${this.format(item.parsed.y)}`,
          },
        },
      },
      scales: {
        x: {
          type: 'linear',
          min: now - 3_600_000,
          max: now,
          border: { display: false },
          grid: { display: false },
          afterBuildTicks: (axis) => (axis.ticks = quarters(now)),
          ticks: { ...ticks, maxRotation: 0, callback: (value) => clock(value) },
        },
        y: {
          beginAtZero: true,
          suggestedMax: 1,
          border: { display: false },
          grid: { color: color('line') },
          ticks: { ...ticks, maxTicksLimit: 4, callback: (value) => this.format(value) },
        },
      },
    };
  }
}
customElements.define('posthorn-chart', LineChart);

function quarters(now) {
  const last = Math.floor(now / TICK_MILLIS) * TICK_MILLIS;
  return [4, 3, 2, 1, 0].map((back) => ({ value: last - back * TICK_MILLIS })).filter(({ value }) => value > now - 3_600_000);
}
