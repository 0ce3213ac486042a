package io.numabufferpool.layout;

import static io.numabufferpool.layout.StructDeclaration.handle;
import static io.numabufferpool.layout.StructDeclaration.offset;
import static io.numabufferpool.layout.StructDeclaration.struct;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/** One cache line of the lookup table: a lock, how far its keys spread, and seven entries. All zero: empty. Since 1.0. */
public final class LookupBucketLayout {
    public static final long BYTES = 64;
    public static final int ENTRY_COUNT = 7;

    public static final StructLayout LAYOUT = struct(
            "LookupBucket",
            BYTES,
            JAVA_INT.withName("lock"),
            JAVA_INT.withName("reach"),
            MemoryLayout.sequenceLayout(ENTRY_COUNT, JAVA_LONG).withName("entries"));

    /** Slot index + 1 of who inserts or removes a key of this home bucket, {@link #REAPER}, or 0. Compare-and-set to take, release to free. */
    public static final VarHandle LOCK = handle(LAYOUT, "lock");

    /** Buckets after this one that may hold keys of this home bucket. Written under the lock (release), read acquire. 0: none. May be too high, never too low. */
    public static final VarHandle REACH = handle(LAYOUT, "reach");

    public static final long ENTRIES_OFFSET = offset(LAYOUT, "entries");

    /** One entry: fingerprint in bits 63..48, {@link BufferNumber} below. Compare-and-set from 0 and to 0; read acquire. 0: empty. */
    public static final VarHandle ENTRY = StructDeclaration.LONG_AT;

    /** The lock owner that is no slot: the reaper. One above {@link StateWord#OWNER_MAX}, because this field has 32 bits. */
    public static final int REAPER = StateWord.OWNER_MAX + 1;

    public static final int FINGERPRINT_SHIFT = 48;

    private LookupBucketLayout() {}

    public static long entry(int fingerprint, long bufferNumber) {
        return ((long) fingerprint << FINGERPRINT_SHIFT) | bufferNumber;
    }

    /** 16 bits. */
    public static int fingerprint(long entry) {
        return (int) (entry >>> FINGERPRINT_SHIFT);
    }
}
