/**
 * How a client and the sidecar speak over the attach socket, and how a client shows that it lives: messages, their limits, the lock
 * file. What the passed segment holds is outside, in the pool.
 */
@NullMarked
package io.numabufferpool.client.attach;

import org.jspecify.annotations.NullMarked;
