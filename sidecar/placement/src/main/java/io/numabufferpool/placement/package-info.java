/**
 * Pure decisions: from an observation and a request to the NUMA node set, the shares and the partitions, or to a problem that names the fix. Nothing here touches a system.
 */
@NullMarked
package io.numabufferpool.placement;

import org.jspecify.annotations.NullMarked;
