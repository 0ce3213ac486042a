package io.numabufferpool.layout;

/**
 * A part of the control file that belongs on one NUMA node. Sections do not overlap, are ascending, and begin and end on
 * pages; together they cover the file.
 *
 * @param name for messages and the log
 * @param offsetBytes from the begin of the control file
 * @param bytes length, a multiple of the page size
 * @param numaNode where it belongs; -1: anywhere, best spread over all
 * @param backed false: address space kept for later, must get no memory now
 */
public record SegmentSection(String name, long offsetBytes, long bytes, int numaNode, boolean backed) {}
