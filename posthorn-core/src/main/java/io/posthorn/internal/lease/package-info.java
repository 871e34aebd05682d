/** The step "lease": keeps the relay's heartbeat and its share of the partitions. */
@NullMarked
package io.posthorn.internal.lease;

import org.jspecify.annotations.NullMarked;
