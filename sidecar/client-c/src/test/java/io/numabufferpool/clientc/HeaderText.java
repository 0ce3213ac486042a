package io.numabufferpool.clientc;

import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.layout.BufferDescriptorLayout;
import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.ControlHeaderLayout;
import io.numabufferpool.layout.LayoutVersion;
import io.numabufferpool.layout.LedgerEntry;
import io.numabufferpool.layout.LookupBucketLayout;
import io.numabufferpool.layout.PartitionLayout;
import io.numabufferpool.layout.PoolCounter;
import io.numabufferpool.layout.SlotLayout;
import io.numabufferpool.layout.SpaceTableLayout;
import io.numabufferpool.layout.StateWord;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.StructLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Renders {@code numa_buffer_pool.h} and {@code layout_check.c} from the layout and the parts in {@code src/main/c}. */
final class HeaderText {
    private static final Path PARTS = Path.of("src/main/c");

    private static final List<String> PARTS_AFTER_LAYOUT =
            List.of("2-segment.h", "3-attach.h", "4-session.h", "5-evict.h", "6-pin.h", "7-file.h");

    private static final Map<String, StructLayout> STRUCTS = structs();

    private HeaderText() {}

    private static Map<String, StructLayout> structs() {
        var structs = new LinkedHashMap<String, StructLayout>();
        structs.put("numapool_control_header", ControlHeaderLayout.LAYOUT);
        structs.put("numapool_space_entry", SpaceTableLayout.LAYOUT);
        structs.put("numapool_slot", SlotLayout.LAYOUT);
        structs.put("numapool_lookup_bucket", LookupBucketLayout.LAYOUT);
        structs.put("numapool_partition_lines", PartitionLayout.LAYOUT);
        structs.put("numapool_buffer_descriptor", BufferDescriptorLayout.LAYOUT);
        return structs;
    }

    static String header() throws IOException {
        var text = new StringBuilder(Files.readString(PARTS.resolve("1-interface.h")));
        text.append("/* ---- rendered from sidecar/layout: do not edit -------------------------------------- */\n\n");
        constants(text);
        STRUCTS.forEach((name, struct) -> declare(text, name, struct));
        text.append("/* ---- end of what is rendered -------------------------------------------------------- */\n\n");
        for (var part : PARTS_AFTER_LAYOUT) {
            text.append(Files.readString(PARTS.resolve(part)));
        }
        return text.toString();
    }

    /** A C file that compiles only if every field lies where the layout says. */
    static String layoutCheck() {
        var text = new StringBuilder("""
                /* Rendered from sidecar/layout: do not edit. */
                #include "numa_buffer_pool.h"
                #include <assert.h>

                """);
        STRUCTS.forEach((name, struct) -> {
            for (var member : struct.memberLayouts()) {
                var field = member.name().orElseThrow();
                text.append(String.format(
                        Locale.ROOT,
                        "static_assert(offsetof(%s, %s) == %d, \"%s.%s\");\n",
                        name,
                        field,
                        struct.byteOffset(PathElement.groupElement(field)),
                        name,
                        field));
            }
            text.append(String.format(
                    Locale.ROOT, "static_assert(sizeof(%s) == %d, \"%s\");\n\n", name, struct.byteSize(), name));
        });
        return text.append("int main(void) {\n    return 0;\n}\n").toString();
    }

    private static void constants(StringBuilder text) {
        define(text, "MAGIC", LayoutVersion.MAGIC);
        small(text, "LAYOUT_MAJOR", LayoutVersion.MAJOR);
        small(text, "LAYOUT_MINOR", LayoutVersion.MINOR);
        small(text, "BYTE_ORDER_MARK", LayoutVersion.BYTE_ORDER_MARK);
        small(text, "LEDGER_ENTRY_COUNT", SlotLayout.LEDGER_ENTRY_COUNT);
        small(text, "BUCKET_ENTRY_COUNT", LookupBucketLayout.ENTRY_COUNT);
        small(text, "PARTITION_SHIFT", BufferNumber.PARTITION_SHIFT);
        define(text, "NUMBER_MASK", BufferNumber.MASK);
        define(text, "LEDGER_PINNED", LedgerEntry.PINNED);
        small(text, "FREE", StateWord.FREE);
        small(text, "CLAIMED", StateWord.CLAIMED);
        small(text, "LOADING", StateWord.LOADING);
        small(text, "VALID", StateWord.VALID);
        small(text, "EVICTING", StateWord.EVICTING);
        small(text, "UNMAPPING", StateWord.UNMAPPING);
        small(text, "RETIRED", StateWord.RETIRED);
        define(text, "PHASE_MASK", StateWord.PHASE_MASK);
        define(text, "DIRTY", StateWord.DIRTY);
        define(text, "WRITING", StateWord.WRITING);
        define(text, "TORN_FLAG", StateWord.TORN);
        define(text, "WAITERS", StateWord.WAITERS);
        define(text, "USAGE_MASK", StateWord.USAGE_MASK);
        define(text, "USAGE_ONE", StateWord.USAGE_ONE);
        small(text, "USAGE_COUNT_MAX", StateWord.USAGE_COUNT_MAX);
        define(text, "VERSION_MASK", StateWord.VERSION_MASK);
        small(text, "VERSION_SHIFT", StateWord.VERSION_SHIFT);
        define(text, "OWNER_MASK", StateWord.OWNER_MASK);
        small(text, "OWNER_SHIFT", StateWord.OWNER_SHIFT);
        for (var counter : PoolCounter.values()) {
            small(text, "COUNTER_" + counter.name(), counter.id());
        }
        small(text, "CLIENT_NUMBER_MAX", AttachProtocol.CLIENT_NUMBER_MAX);
        text.append('\n');
    }

    private static void define(StringBuilder text, String name, long value) {
        text.append(String.format(Locale.ROOT, "#define NUMAPOOL_%s UINT64_C(0x%X)\n", name, value));
    }

    private static void small(StringBuilder text, String name, int value) {
        text.append(String.format(Locale.ROOT, "#define NUMAPOOL_%s %d\n", name, value));
    }

    private static void declare(StringBuilder text, String name, StructLayout struct) {
        text.append("typedef struct {\n");
        for (var member : struct.memberLayouts()) {
            text.append("    ").append(field(member)).append(";\n");
        }
        text.append("} ").append(name).append(";\n\n");
    }

    private static String field(MemoryLayout member) {
        var name = member.name().orElseThrow();
        return member instanceof SequenceLayout array
                ? type(array.elementLayout()) + " " + name + "[" + array.elementCount() + "]"
                : type(member) + " " + name;
    }

    private static String type(MemoryLayout element) {
        return "uint" + element.byteSize() * Byte.SIZE + "_t";
    }
}
