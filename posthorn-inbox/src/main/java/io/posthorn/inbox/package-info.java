/** Handles each received message once. */
@NullMarked
package io.posthorn.inbox;

import org.jspecify.annotations.NullMarked;
