/** The engine: nobody else's business. */
@NullMarked
package io.posthorn.internal;

import org.jspecify.annotations.NullMarked;
