/**
 * The operator program: reconcilers, report endpoint, certificates. What the kernel does is outside, in the sidecar.
 */
@NullMarked
package io.numabufferpool.operator;

import org.jspecify.annotations.NullMarked;
