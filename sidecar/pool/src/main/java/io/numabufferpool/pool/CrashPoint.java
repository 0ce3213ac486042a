package io.numabufferpool.pool;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Places in the protocols right after a store: a test lets a process stop at one of them, and kills it there. In production
 * {@link #ARMED} is a constant false, with which the compiler removes the question and all that it guards.
 */
enum CrashPoint {
    SLOT_OWNED,
    SLOT_OCCUPIED,
    SLOT_NOT_OCCUPIED,
    LEDGER_RAISED,
    PIN_PUBLISHED,
    PIN_CLEARED,
    FREE_CLAIMED,
    EVICTING_SET,
    UNMAPPING_SET,
    BUCKET_LOCKED,
    ENTRY_INSERTED,
    ENTRY_REMOVED,
    BUCKET_UNLOCKED,
    VICTIM_CLAIMED,
    LOADING_SET,
    TAG_WRITTEN,
    BLOCK_INSERTED,
    BLOCK_LOADED,
    LOAD_PINNED,
    LOAD_VALID,
    LOAD_FAILED,
    SHARED_PUBLISHED,
    SHARED_CLEARED,
    WRITING_SET,
    PAGE_DIRTIED,
    WRITING_ENDED,
    FLUSHER_SET,
    PAGE_WRITTEN,
    DIRTY_CLEARED,
    FLUSHER_CLEARED,
    SPACE_LOCKED,
    SPACE_EMPTIED,
    SPACE_NUMBERED,
    SPACE_WRITTEN,
    SPACE_OPENED,
    SPACE_CLOSED,
    REAPED_LEDGERS,
    REAPED_LOCKS,
    REAPED_BUFFER,
    REAPED_BUFFERS,
    REAPED_SLOT;

    /** Names the point at which this process is to stop. */
    static final String PROPERTY = "numapool.test.stopAt";

    private static final @Nullable String WANTED = System.getProperty(PROPERTY);

    /** Whether any point stops this process. */
    static final boolean ARMED = WANTED != null;

    /** The killer needs milliseconds; if it died itself, the process goes on after so long. */
    private static final Duration STOPPED_MAX = Duration.ofMinutes(2);

    /** Says so on standard output and stops, if this is the point that was asked for. */
    void reached() {
        if (!name().equals(WANTED)) {
            return;
        }
        System.out.println(name());
        try {
            Thread.sleep(STOPPED_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
