/**
 * For tests of applications and of Posthorn itself: a settable clock, an in-memory store, a relay
 * that runs step by step.
 */
@NullMarked
package io.posthorn.test;

import org.jspecify.annotations.NullMarked;
