/** Wrappers that let stores and handlers fail, hang or answer late, at a chosen step. */
@NullMarked
package io.posthorn.test.fault;

import org.jspecify.annotations.NullMarked;
