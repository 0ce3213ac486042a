package io.numabufferpool.server.segment;

import io.numabufferpool.linux.Errno;

/**
 * A stretch that the kernel gave no pages for.
 *
 * @param range what was to be populated
 * @param numaNode where it was to lie, or {@link PlacedRange#ANYWHERE}
 * @param missingBytes bytes of this node's part of the range that were not populated
 * @param errno the kernel's answer: EFAULT where a touch would have been SIGBUS
 */
record Shortage(PlacedRange range, int numaNode, long missingBytes, Errno errno) {}
