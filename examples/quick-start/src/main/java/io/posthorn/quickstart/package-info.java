/** The README's quick start. */
@NullMarked
package io.posthorn.quickstart;

import org.jspecify.annotations.NullMarked;
