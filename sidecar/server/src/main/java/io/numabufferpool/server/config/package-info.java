/**
 * What the sidecar was asked to serve, read from a pod's environment or from a NumaBufferPool file, with the words a person needs where it is wrong. What the fields mean is decided in crds.
 */
@NullMarked
package io.numabufferpool.server.config;

import org.jspecify.annotations.NullMarked;
