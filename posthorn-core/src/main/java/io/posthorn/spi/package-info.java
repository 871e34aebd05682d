/** What an extender implements: stores, transactions, codecs, and how duties are run. */
@NullMarked
package io.posthorn.spi;

import org.jspecify.annotations.NullMarked;
