package io.numabufferpool.server.attach;

import io.numabufferpool.client.attach.AttachAccess;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.placement.CpuSet;

/**
 * The segment that clients get.
 *
 * @param control the control file, open for reading and writing; stays the caller's
 * @param buffers the buffers file, open for reading and writing; stays the caller's
 * @param generation of the segment
 * @param controlBytes length of the control file
 * @param buffersBytes length of the buffers file
 * @param layoutMajor the segment's layout; a client of another major version is refused
 * @param layoutMinor the same; told in the refusal
 * @param access what clients may do with the buffers
 * @param advisedCpus the CPUs that clients are to bind their threads to; empty: none
 */
public record ServedSegment(
        LinuxFile control,
        LinuxFile buffers,
        long generation,
        long controlBytes,
        long buffersBytes,
        int layoutMajor,
        int layoutMinor,
        AttachAccess access,
        CpuSet advisedCpus) {
    /** The same with other CPUs to run on. */
    ServedSegment withCpus(CpuSet cpus) {
        return new ServedSegment(
                control, buffers, generation, controlBytes, buffersBytes, layoutMajor, layoutMinor, access, cpus);
    }
}
