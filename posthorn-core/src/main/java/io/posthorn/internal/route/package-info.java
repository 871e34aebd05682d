/** Messages to brokers: which route takes one, what is made of it, and how many go out at once. */
@NullMarked
package io.posthorn.internal.route;

import org.jspecify.annotations.NullMarked;
