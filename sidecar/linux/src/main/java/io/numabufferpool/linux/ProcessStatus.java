package io.numabufferpool.linux;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNodeSet;

/**
 * The lines of /proc/self/status that placement depends on.
 *
 * @param seccompMode 0 none, 1 strict, 2 filter
 */
public record ProcessStatus(NumaNodeSet memsAllowed, CpuSet cpusAllowed, int seccompMode, int uid) {}
