/** The step "wake": tells relays that there is something to read. */
@NullMarked
package io.posthorn.internal.wake;

import org.jspecify.annotations.NullMarked;
