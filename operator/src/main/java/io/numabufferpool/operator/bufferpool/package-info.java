/**
 * The NumaBufferPool kind: what a pool's pods and placements add up to, and the CA that its namespace needs. What one pod's
 * sidecar reports is outside, in the report endpoint.
 */
@NullMarked
package io.numabufferpool.operator.bufferpool;

import org.jspecify.annotations.NullMarked;
