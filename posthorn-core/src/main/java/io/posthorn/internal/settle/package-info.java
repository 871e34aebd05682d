/** The step "settle": stores the outcomes of deliveries in groups. */
@NullMarked
package io.posthorn.internal.settle;

import org.jspecify.annotations.NullMarked;
