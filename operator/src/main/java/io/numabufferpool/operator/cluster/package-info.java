/**
 * Names and labels of everything the operator reads or writes in a cluster. What the objects contain is outside.
 */
@NullMarked
package io.numabufferpool.operator.cluster;

import org.jspecify.annotations.NullMarked;
