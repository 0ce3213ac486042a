package io.numabufferpool.server.attach;

import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNodeSet;
import java.time.Instant;

/**
 * A client whose connection is open.
 *
 * @param number its byte of {@code clients.lock}
 * @param uid from SO_PEERCRED
 * @param pid from SO_PEERCRED, in the sidecar's pid namespace; 0 where it lives in another one
 * @param name what it calls itself, for people
 * @param cpusAllowed what it said of itself; empty where it said nothing
 * @param memsAllowed the same
 * @param since when it attached to this sidecar process
 */
public record AttachedClient(
        int number, int uid, int pid, String name, CpuSet cpusAllowed, NumaNodeSet memsAllowed, Instant since) {
    /** For messages: {@code client 3 "java 17" (uid 999)}. */
    @Override
    public String toString() {
        return "client " + number + " \"" + name + "\" (uid " + uid + ")";
    }
}
