/**
 * The layout as a golden table, and the rules of its words as tests.
 */
@NullMarked
package io.numabufferpool.layout;

import org.jspecify.annotations.NullMarked;
