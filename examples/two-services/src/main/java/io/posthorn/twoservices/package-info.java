/** Orders and a warehouse: from one service's commit to the other one's, effectively once. */
@NullMarked
package io.posthorn.twoservices;

import org.jspecify.annotations.NullMarked;
