/** Hit ratios of the pool's replacement policy and of its peers, over the same references. */
@NullMarked
package io.numabufferpool.bench.replacement;

import org.jspecify.annotations.NullMarked;
