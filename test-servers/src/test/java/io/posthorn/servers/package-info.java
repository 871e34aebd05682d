/** Proves that the servers are real, durable, restartable and mortal. */
@NullMarked
package io.posthorn.servers;

import org.jspecify.annotations.NullMarked;
