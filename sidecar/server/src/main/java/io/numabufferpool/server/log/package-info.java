/**
 * The sidecar's log: one line an event, constant text and key/values, as JSON in a pod and as text elsewhere. What the lines say is decided by those who write them.
 */
@NullMarked
package io.numabufferpool.server.log;

import org.jspecify.annotations.NullMarked;
