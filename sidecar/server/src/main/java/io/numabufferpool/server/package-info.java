/**
 * The sidecar program: observes, asks for the decision, allocates, places, verifies, serves and reports. Decisions and protocols are outside, in placement and pool.
 */
@NullMarked
package io.numabufferpool.server;

import org.jspecify.annotations.NullMarked;
