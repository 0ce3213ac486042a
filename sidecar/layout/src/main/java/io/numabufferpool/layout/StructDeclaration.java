package io.numabufferpool.layout;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** How every struct of this package is declared and asserted. Handles are exact: a call whose types would box throws. */
final class StructDeclaration {
    static final long CACHE_LINE_BYTES = 64;

    /** One word of an array inside a struct (ledger entries, bucket entries, counters): coordinates segment and offset. */
    static final VarHandle LONG_AT = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    /** The same for 4-byte words. */
    static final VarHandle INT_AT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();

    private StructDeclaration() {}

    /** Bytes without a meaning yet: zero, and checked to be zero at attach. The name must begin with {@code reserved}. */
    static MemoryLayout reserved(String name, long bytes) {
        require(name.startsWith("reserved"), name + " must begin with reserved");
        return MemoryLayout.sequenceLayout(bytes, ValueLayout.JAVA_BYTE).withName(name);
    }

    /** Makes the struct and asserts what STYLE section 4 asks for: size, names, no unnamed padding, whole cache lines. */
    static StructLayout struct(String name, long bytes, MemoryLayout... members) {
        var struct = MemoryLayout.structLayout(members).withName(name);
        require(struct.byteSize() == bytes, name + " has " + struct.byteSize() + " bytes, not " + bytes);
        require(bytes % CACHE_LINE_BYTES == 0, name + " is not a whole number of cache lines");
        for (var member : struct.memberLayouts()) {
            require(!(member instanceof PaddingLayout), name + " has unnamed padding");
            require(member.name().isPresent(), name + " has a member without a name");
            var offset = offset(struct, member.name().orElseThrow());
            require(offset % alignment(member) == 0, name + "." + member.name().orElseThrow() + " is misaligned");
        }
        return struct;
    }

    static long offset(StructLayout struct, String field) {
        return struct.byteOffset(PathElement.groupElement(field));
    }

    static VarHandle handle(StructLayout struct, String field) {
        return struct.varHandle(PathElement.groupElement(field)).withInvokeExactBehavior();
    }

    private static long alignment(MemoryLayout member) {
        return member instanceof SequenceLayout sequence
                ? sequence.elementLayout().byteSize()
                : member.byteSize();
    }

    static void require(boolean holds, String sentence) {
        if (!holds) {
            throw new AssertionError("layout: " + sentence);
        }
    }
}
