/**
 * What the sidecar answers over HTTP: health for the kubelet's probes and metrics for Prometheus. The numbers come from outside.
 */
@NullMarked
package io.numabufferpool.server.http;

import org.jspecify.annotations.NullMarked;
