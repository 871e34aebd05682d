/**
 * The one room where a relay's state lives: held partitions, lanes, window, floors, outcomes. One
 * lock, private fields, verbs for everybody else.
 */
@NullMarked
package io.posthorn.internal.memory;

import org.jspecify.annotations.NullMarked;
