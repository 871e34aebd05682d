/** What every message store must do, as abstract test classes that a database joins. */
@NullMarked
package io.posthorn.test.contract;

import org.jspecify.annotations.NullMarked;
