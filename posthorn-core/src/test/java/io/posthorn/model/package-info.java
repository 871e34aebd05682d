/**
 * The lease and settle protocol, and the rule of order, as small explicit-state models, checked
 * over all interleavings.
 *
 * <p>Three layers: a generic checker ({@code StateSpace}), the state of the model ({@code Fleet}
 * and what it is made of), and the steps that relays, database and faults can take, one class per
 * duty. {@code docs/why/0003-lease-protocol-model.md} says what is left out. The order of a lane
 * has a model of its own ({@code MergeModel}).
 */
package io.posthorn.model;
