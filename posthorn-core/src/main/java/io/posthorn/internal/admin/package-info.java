/** What operators see and do: checked, cut into batches, recorded, and told to the relays. */
@NullMarked
package io.posthorn.internal.admin;

import org.jspecify.annotations.NullMarked;
