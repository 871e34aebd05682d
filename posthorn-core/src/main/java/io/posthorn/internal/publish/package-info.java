/** The step "publish": records messages in the caller's transaction. */
@NullMarked
package io.posthorn.internal.publish;

import org.jspecify.annotations.NullMarked;
