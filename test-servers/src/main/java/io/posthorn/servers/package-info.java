/** Real database servers for tests and demos, brought up from Maven artifacts without Docker. */
@NullMarked
package io.posthorn.servers;

import org.jspecify.annotations.NullMarked;
