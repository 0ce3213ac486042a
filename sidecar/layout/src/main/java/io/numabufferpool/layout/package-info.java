/**
 * The shared memory, declared once: every struct, its offsets and access handles, the state word and the layout version. Code that reads or writes that memory by protocol is outside, in the pool.
 */
@NullMarked
package io.numabufferpool.layout;

import org.jspecify.annotations.NullMarked;
