/** Payloads as JSON, by Jackson 3. */
@NullMarked
package io.posthorn.jackson;

import org.jspecify.annotations.NullMarked;
