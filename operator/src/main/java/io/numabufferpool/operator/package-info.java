/**
 * The operator program: which part gets which, beginning and end. What the parts do is in the packages below; what the
 * kernel does is outside, in the sidecar.
 */
@NullMarked
package io.numabufferpool.operator;

import org.jspecify.annotations.NullMarked;
