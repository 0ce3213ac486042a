/**
 * What an application embeds: attach to the pool of its pod, open spaces, read and pin blocks. The protocol of the shared memory is outside, in the pool.
 */
@NullMarked
package io.numabufferpool.client;

import org.jspecify.annotations.NullMarked;
