/**
 * The sidecar's side of attaching: the socket, who is attached, and who is dead. What a dead client's slots are and how they are
 * cleared is outside, in the pool.
 */
@NullMarked
package io.numabufferpool.server.attach;

import org.jspecify.annotations.NullMarked;
