package io.posthorn.spi;

import java.util.UUID;

/**
 * Makes message ids. Safe to share between threads.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface IdGenerator {
  /** An id that was never made before. */
  UUID next();
}
