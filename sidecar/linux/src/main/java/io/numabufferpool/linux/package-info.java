/**
 * The kernel as this project needs it: memory policy, placement read-back, topology, huge pages, locks and futexes, one interface and its native implementation. What to place where is decided outside.
 */
@NullMarked
package io.numabufferpool.linux;

import org.jspecify.annotations.NullMarked;
