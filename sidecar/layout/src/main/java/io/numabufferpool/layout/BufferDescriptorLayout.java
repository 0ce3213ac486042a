package io.numabufferpool.layout;

import static io.numabufferpool.layout.StructDeclaration.handle;
import static io.numabufferpool.layout.StructDeclaration.offset;
import static io.numabufferpool.layout.StructDeclaration.reserved;
import static io.numabufferpool.layout.StructDeclaration.struct;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/** One cache line per buffer, on the NUMA node of the buffer. All zero: a FREE buffer. Since 1.0. */
public final class BufferDescriptorLayout {
    public static final long BYTES = 64;

    public static final StructLayout LAYOUT = struct(
            "BufferDescriptor",
            BYTES,
            JAVA_LONG.withName("state"),
            JAVA_LONG.withName("block"),
            JAVA_INT.withName("space"),
            JAVA_INT.withName("flusher"),
            JAVA_LONG.withName("logPosition"),
            JAVA_INT.withName("dirtier"),
            reserved("reserved0", 28));

    /** A {@link StateWord}. Written by compare-and-set; read volatile by pinners, after their fence. 0: FREE. */
    public static final VarHandle STATE = handle(LAYOUT, "state");

    /** Where the futex word of the state word lies: its low half, so at its offset on a little-endian machine. */
    public static final long STATE_OFFSET = offset(LAYOUT, "state");

    /** Tag: block number in the space, in units of bufferBytes. Written by the owner while LOADING, before insertion; read after the state word. */
    public static final VarHandle BLOCK = handle(LAYOUT, "block");

    /** Tag: space number, never used twice. Writer and readers as block. 0: no space yet. */
    public static final VarHandle SPACE = handle(LAYOUT, "space");

    /** Flusher lock: slot index + 1 of who writes the page to its file, by compare-and-set. 0: nobody. The reaper clears a dead one's. */
    public static final VarHandle FLUSHER = handle(LAYOUT, "flusher");

    /** How far the log has to be durable before the page may be written to its file. Opaque, by the owner of WRITING; means something while DIRTY. 0: not at all. */
    public static final VarHandle LOG_POSITION = handle(LAYOUT, "logPosition");

    /** Client number of who changed the page last, or {@link #DIRTIER_DIED}. Opaque, by the owner of WRITING, and the reaper; means something while DIRTY. 0: nobody. */
    public static final VarHandle DIRTIER = handle(LAYOUT, "dirtier");

    /** A dirtier that was reaped. */
    public static final int DIRTIER_DIED = -1;

    private BufferDescriptorLayout() {}
}
