/** What people do to messages and pauses: checked, cut into batches, and told to the relays. */
@NullMarked
package io.posthorn.internal.admin;

import org.jspecify.annotations.NullMarked;
