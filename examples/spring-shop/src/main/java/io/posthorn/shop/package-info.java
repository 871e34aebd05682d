/** A shop on Spring Boot: the README's second quick start. */
@NullMarked
package io.posthorn.shop;

import org.jspecify.annotations.NullMarked;
