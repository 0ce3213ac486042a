/**
 * The rules of the pool as tests: each class of the pool by itself, then many threads, then many processes. A segment in a native arena serves the rules; files on tmpfs serve the processes.
 */
@NullMarked
package io.numabufferpool.pool;

import org.jspecify.annotations.NullMarked;
