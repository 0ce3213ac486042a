/** Benchmarks of the pool, each a ratio to a peer or limit that is measured in the same run. Nothing else depends on them. */
@NullMarked
package io.numabufferpool.bench;

import org.jspecify.annotations.NullMarked;
