package io.numabufferpool.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * Compares the declared structs with {@code layout-v1.txt}. A changed byte means that file, the version and the changelog
 * in one commit; {@code ./mvnw test -pl sidecar/layout -Dtest=LayoutGoldenTest -Dnumapool.render=true} writes it anew.
 */
class LayoutGoldenTest {
    private static final Path GOLDEN = Path.of("src/test/resources/io/numabufferpool/layout/layout-v1.txt");

    private static final List<StructLayout> STRUCTS = List.of(
            ControlHeaderLayout.LAYOUT,
            SpaceTableLayout.LAYOUT,
            SlotLayout.LAYOUT,
            LookupBucketLayout.LAYOUT,
            PartitionLayout.LAYOUT,
            BufferDescriptorLayout.LAYOUT);

    @Test
    void noByteOfVersionOneHasMoved() throws IOException {
        var rendered = render();
        if (Boolean.getBoolean("numapool.render")) {
            Files.writeString(GOLDEN, rendered);
        }

        assertThat(rendered)
                .as("the layout; if the change is wanted, raise LayoutVersion and render with -Dnumapool.render=true")
                .isEqualTo(Files.readString(GOLDEN));
    }

    @Test
    void theMagicReadsNumapoolInMemoryOrder() {
        var bytes = ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(LayoutVersion.MAGIC)
                .array();

        assertThat(new String(bytes, StandardCharsets.US_ASCII)).isEqualTo("NUMAPOOL");
    }

    private static String render() {
        var table = new StringBuilder("version " + LayoutVersion.MAJOR + "." + LayoutVersion.MINOR + "\n");
        line(table, "struct", "field", "offset", "size");
        for (var struct : STRUCTS) {
            var name = struct.name().orElseThrow();
            for (var member : struct.memberLayouts()) {
                var field = member.name().orElseThrow();
                line(table, name, field, struct.byteOffset(PathElement.groupElement(field)), member.byteSize());
            }
            line(table, name, "(all)", 0, struct.byteSize());
        }
        bits(table, "PHASE", StateWord.PHASE_MASK);
        bits(table, "DIRTY", StateWord.DIRTY);
        bits(table, "WRITING", StateWord.WRITING);
        bits(table, "TORN", StateWord.TORN);
        bits(table, "WAITERS", StateWord.WAITERS);
        bits(table, "reserved", StateWord.RESERVED_MASK);
        bits(table, "usageCount", StateWord.USAGE_MASK);
        bits(table, "version", StateWord.VERSION_MASK);
        bits(table, "owner", StateWord.OWNER_MASK);
        for (int phase = StateWord.FREE; phase <= StateWord.RETIRED; phase++) {
            line(table, "Phase", StateWord.describe(phase).split(" ", 2)[0], phase, "-");
        }
        for (var counter : PoolCounter.values()) {
            line(table, "PoolCounter", counter.label(), counter.offsetBytes(), Long.BYTES);
        }
        return table.toString();
    }

    private static void bits(StringBuilder table, String field, long mask) {
        line(table, "StateWord", field, "bit " + Long.numberOfTrailingZeros(mask), "bits " + Long.bitCount(mask));
    }

    private static void line(StringBuilder table, String struct, String field, Object offset, Object size) {
        table.append(String.format(Locale.ROOT, "%-18s %-26s %-8s %s\n", struct, field, offset, size));
    }
}
