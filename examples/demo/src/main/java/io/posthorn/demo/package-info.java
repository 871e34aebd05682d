/** A demonstration: an order service, two relays, one of them killed, and a verdict. */
@NullMarked
package io.posthorn.demo;

import org.jspecify.annotations.NullMarked;
