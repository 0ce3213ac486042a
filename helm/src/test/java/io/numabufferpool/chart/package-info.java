/**
 * The chart: what Helm renders from it, and what its policies do on a real API server. Pods that really run are in
 * {@code io.numabufferpool.cluster}.
 */
package io.numabufferpool.chart;
