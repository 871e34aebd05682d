/** What a user of Posthorn types: the outbox, messages, handlers and the relay. */
@NullMarked
package io.posthorn;

import org.jspecify.annotations.NullMarked;
