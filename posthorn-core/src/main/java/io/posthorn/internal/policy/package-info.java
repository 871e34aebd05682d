/**
 * What decides without state: who takes a message, unknown types, older names of types, the rest of
 * the fleet.
 */
@NullMarked
package io.posthorn.internal.policy;

import org.jspecify.annotations.NullMarked;
