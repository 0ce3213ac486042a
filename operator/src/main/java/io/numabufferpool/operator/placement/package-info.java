/**
 * The NumaPlacement kind: whether what stands in it is still being vouched for by a running sidecar. What it says is
 * outside, in the report endpoint that writes it.
 */
@NullMarked
package io.numabufferpool.operator.placement;

import org.jspecify.annotations.NullMarked;
