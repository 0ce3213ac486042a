/**
 * The report endpoint: who sends, may they, what is decided, and writing it down. How a pool's status is summed up from
 * what was written is outside, in the reconcilers.
 */
@NullMarked
package io.numabufferpool.operator.report;

import org.jspecify.annotations.NullMarked;
