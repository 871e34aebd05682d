/** The step "deliver": hands messages to handlers, one at a time per lane. */
@NullMarked
package io.posthorn.internal.deliver;

import org.jspecify.annotations.NullMarked;
