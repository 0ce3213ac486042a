/**
 * What the sidecar tells others: the report to the operator, the status document, metrics. Nothing here changes the segment.
 */
@NullMarked
package io.numabufferpool.server.report;

import org.jspecify.annotations.NullMarked;
