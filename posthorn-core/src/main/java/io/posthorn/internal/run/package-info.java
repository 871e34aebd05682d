/** The step "run": threads, loops and the guards around user code. */
@NullMarked
package io.posthorn.internal.run;

import org.jspecify.annotations.NullMarked;
