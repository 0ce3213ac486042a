/**
 * The buffer pool over an attached segment: lookup, pins, replacement, loading and slots. How a segment comes to be and who may attach is outside.
 */
@NullMarked
package io.numabufferpool.pool;

import org.jspecify.annotations.NullMarked;
