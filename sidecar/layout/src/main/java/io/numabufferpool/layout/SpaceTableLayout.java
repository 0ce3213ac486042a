package io.numabufferpool.layout;

import static io.numabufferpool.layout.StructDeclaration.handle;
import static io.numabufferpool.layout.StructDeclaration.reserved;
import static io.numabufferpool.layout.StructDeclaration.struct;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * One file or device whose blocks the pool holds. Every field up to durability is written under the header's spaceLock (plain), published
 * by the space number (release), and read under the same lock. All zero: no space. Since 1.0.
 */
public final class SpaceTableLayout {
    public static final long BYTES = 128;

    public static final StructLayout LAYOUT = struct(
            "Space",
            BYTES,
            JAVA_INT.withName("space"),
            JAVA_INT.withName("blockBytes"),
            JAVA_LONG.withName("device"),
            JAVA_LONG.withName("inode"),
            JAVA_LONG.withName("inodeGeneration"),
            JAVA_LONG.withName("fileBytes"),
            JAVA_LONG.withName("modifiedNanos"),
            JAVA_LONG.withName("changedNanos"),
            JAVA_LONG.withName("registeredSequence"),
            JAVA_INT.withName("access"),
            JAVA_INT.withName("durability"),
            JAVA_LONG.withName("crashEpoch"),
            JAVA_LONG.withName("recoveredEpoch"),
            JAVA_LONG.withName("loggedPosition"),
            JAVA_INT.withName("open"),
            JAVA_INT.withName("recoverer"),
            JAVA_INT.withName("orphans"),
            reserved("reserved0", 20));

    /** Space number, from the header's nextSpace, never used twice. 0: this entry is empty or half written. */
    public static final VarHandle SPACE = handle(LAYOUT, "space");
    /** Bytes of one block: the segment's bufferBytes. */
    public static final VarHandle BLOCK_BYTES = handle(LAYOUT, "blockBytes");
    /** st_dev. */
    public static final VarHandle DEVICE = handle(LAYOUT, "device");
    /** st_ino. */
    public static final VarHandle INODE = handle(LAYOUT, "inode");
    /** FS_IOC_GETVERSION. 0: the file system has none. */
    public static final VarHandle INODE_GENERATION = handle(LAYOUT, "inodeGeneration");
    /** st_size when it was registered. */
    public static final VarHandle FILE_BYTES = handle(LAYOUT, "fileBytes");
    /** st_mtim in nanoseconds since the epoch when it was registered. */
    public static final VarHandle MODIFIED_NANOS = handle(LAYOUT, "modifiedNanos");
    /** st_ctim in nanoseconds since the epoch when it was registered. */
    public static final VarHandle CHANGED_NANOS = handle(LAYOUT, "changedNanos");
    /** Value of the header's registrations when it was registered last: the smallest is recycled first. */
    public static final VarHandle REGISTERED_SEQUENCE = handle(LAYOUT, "registeredSequence");
    /** {@link #ACCESS_READ_ONLY}: the file's content as it was at registration. {@link #ACCESS_READ_WRITE}: the pool's content. */
    public static final VarHandle ACCESS = handle(LAYOUT, "access");
    /** {@link #WRITE_THROUGH} or {@link #WRITE_BACK}. */
    public static final VarHandle DURABILITY = handle(LAYOUT, "durability");
    /** Counts deaths that may have left the space half changed. Atomic addition, by the reaper and who opens it; read opaque. */
    public static final VarHandle CRASH_EPOCH = handle(LAYOUT, "crashEpoch");
    /** The crashEpoch somebody has recovered the space from: while it is another one, sessions get PeerDied. Compare-and-set. */
    public static final VarHandle RECOVERED_EPOCH = handle(LAYOUT, "recoveredEpoch");
    /** The log is durable up to here, as far as writers of pages know. Raised only, by compare-and-set. */
    public static final VarHandle LOGGED_POSITION = handle(LAYOUT, "loggedPosition");
    /** 1: somebody has it open for writing, or died so. 0: the fields tell what the pages in the pool are the content of. */
    public static final VarHandle OPEN = handle(LAYOUT, "open");
    /** Client number of who recovers the space, by compare-and-set; the reaper clears a dead one's. 0: nobody. */
    public static final VarHandle RECOVERER = handle(LAYOUT, "recoverer");
    /** Counts deaths that left pages whose changes are in the log but not in the file. Atomic addition, by the reaper. */
    public static final VarHandle ORPHANS = handle(LAYOUT, "orphans");

    public static final int ACCESS_READ_ONLY = 0;
    public static final int ACCESS_READ_WRITE = 1;
    public static final int WRITE_THROUGH = 0;
    public static final int WRITE_BACK = 1;

    private SpaceTableLayout() {}
}
