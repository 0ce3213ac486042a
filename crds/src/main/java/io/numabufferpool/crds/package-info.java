/**
 * The Kubernetes API: both kinds as Java types, their conditions and reasons, and the report a sidecar sends. Behaviour is outside, in the operator and the sidecar.
 */
@NullMarked
package io.numabufferpool.crds;

import org.jspecify.annotations.NullMarked;
