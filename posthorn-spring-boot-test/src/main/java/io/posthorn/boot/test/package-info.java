/** Lets tests of Spring Boot applications deliver messages when they want to, without waiting. */
@NullMarked
package io.posthorn.boot.test;

import org.jspecify.annotations.NullMarked;
