/**
 * The way of a sidecar from its start to its end: observe, decide, make or re-adopt the segment, publish, keep watch. Each step is outside, in the package of its noun; here is their order and what a failure of each means.
 */
@NullMarked
package io.numabufferpool.server.lifecycle;

import org.jspecify.annotations.NullMarked;
