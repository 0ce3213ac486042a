/**
 * Makes the two files of a segment and gets every page of them onto its NUMA node: create, place, prefault, collapse, verify. Where pages belong is decided outside, in placement; what is in them, in pool.
 */
@NullMarked
package io.numabufferpool.server.segment;

import org.jspecify.annotations.NullMarked;
