// What all elements of the page share: they render into the document itself, so that one set of style sheets styles them and labels reach their fields.

import { LitElement } from '../lib/lit/index.js';

export * from '../lib/lit/index.js';

export class Element extends LitElement {
  createRenderRoot() {
    return this;
  }
}
