/** The step "read": reads rows of held partitions into the window. */
@NullMarked
package io.posthorn.internal.read;

import org.jspecify.annotations.NullMarked;
