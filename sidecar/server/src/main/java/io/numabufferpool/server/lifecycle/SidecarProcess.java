package io.numabufferpool.server.lifecycle;

import io.numabufferpool.crds.SidecarStatus;
import io.numabufferpool.pool.Reaper.Reaped;
import io.numabufferpool.server.config.ProgramVersion;
import java.time.Clock;
import java.time.temporal.ChronoUnit;

/** What this process of the sidecar has done so far; the next one counts anew. Thread-safe. */
final class SidecarProcess {
    private final String version = ProgramVersion.text();
    private final String startedAt;
    private boolean readopted;
    private long clientsReaped;
    private long pinsReaped;

    SidecarProcess(Clock clock) {
        // Milliseconds tell two processes apart that start within a second.
        startedAt = clock.instant().truncatedTo(ChronoUnit.MILLIS).toString();
    }

    /** It found its segment there. */
    synchronized void readopted() {
        readopted = true;
    }

    /** So many clients had died; what they held is given back. */
    synchronized void reaped(int clients, Reaped reaped) {
        clientsReaped += clients;
        pinsReaped += reaped.pins();
    }

    synchronized SidecarStatus status() {
        return new SidecarStatus(version, startedAt, readopted, clientsReaped, pinsReaped);
    }
}
