package io.numabufferpool.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SegmentLayoutTest {
    private static final int BUFFER_BYTES = 8192;
    private static final long GIB = 1L << 30;

    @Test
    void sectionsCoverTheFileInWholePagesWithoutOverlap() {
        for (var layout : List.of(fourNodes(8), oneBuffer(), fourNodesWithRoom())) {
            long end = 0;
            for (var section : layout.sections()) {
                assertThat(section.offsetBytes()).as(section.toString()).isEqualTo(end);
                assertThat(section.offsetBytes() % layout.pageBytes()).isZero();
                assertThat(section.bytes()).as(section.toString()).isPositive();
                assertThat(section.bytes() % layout.pageBytes()).isZero();
                end = section.offsetBytes() + section.bytes();
            }
            assertThat(end).isEqualTo(layout.controlBytes());
        }
    }

    @Test
    void descriptorsLieInASectionOfTheNodeOfTheirBuffers() {
        var layout = fourNodes(8);
        for (int partition = 0; partition < layout.partitions().size(); partition++) {
            var shape = layout.partitions().get(partition);
            long first = layout.descriptorsOffset(partition);
            long last = first + shape.bufferCount() * BufferDescriptorLayout.BYTES - 1;

            assertThat(sectionAt(layout, first).numaNode()).isEqualTo(shape.numaNode());
            assertThat(sectionAt(layout, last)).isEqualTo(sectionAt(layout, first));
            assertThat(sectionAt(layout, last).backed()).isTrue();
        }
    }

    @Test
    void slotsLieInASectionOfTheirNode() {
        for (int slots : new int[] {1, 3, 8, 1024}) {
            var layout = fourNodes(slots);
            for (int slot = 0; slot < slots; slot++) {
                assertThat(sectionAt(layout, layout.slotsOffset() + slot * layout.slotBytes())
                                .numaNode())
                        .as("slot %d of %d", slot, slots)
                        .isEqualTo(layout.slotNode(slot));
            }
        }
    }

    @Test
    void slotsAreDealtOutEvenly() {
        var layout = fourNodes(1024);

        assertThat(IntStream.range(0, 1024)
                        .filter(slot -> layout.slotNode(slot) == 2)
                        .count())
                .isEqualTo(256);
    }

    @Test
    void roomForGrowthGetsNoMemory() {
        var layout = fourNodesWithRoom();

        long backed = layout.sections().stream()
                .filter(SegmentSection::backed)
                .mapToLong(SegmentSection::bytes)
                .sum();
        long descriptors = layout.partitions().stream()
                .mapToLong(shape -> shape.bufferCount() * BufferDescriptorLayout.BYTES)
                .sum();

        assertThat(backed).isLessThan(descriptors + layout.bucketCount() * LookupBucketLayout.BYTES + (1 << 20));
        assertThat(layout.sections()).filteredOn(section -> !section.backed()).hasSize(4);
    }

    @Test
    void aSegmentOfTebibytesHasNoOverflow() {
        long buffers = (1L << 40) / BUFFER_BYTES;
        var shape = new PartitionShape(0, 0, buffers, 2 * buffers);

        var layout = SegmentLayout.of(List.of(shape), BUFFER_BYTES, 2L << 40, 65535);

        assertThat(layout.controlBytes()).isGreaterThan(2 * 2 * buffers * BufferDescriptorLayout.BYTES);
        assertThat(layout.bucketCount() * LookupBucketLayout.ENTRY_COUNT).isGreaterThanOrEqualTo(2 * 2 * buffers);
    }

    @Test
    void aSlotTakesOnePageUpToThirtyCounterGroups() {
        assertThat(SlotLayout.strideBytes(30)).isEqualTo(4096);
        assertThat(SlotLayout.strideBytes(31)).isEqualTo(8192);
    }

    @Test
    void theTableHasRoomForTwiceTheBuffers() {
        for (long buffers : new long[] {1, 2, 3, 7, 8, 1000, 1L << 27}) {
            assertThat(SegmentLayout.bucketCount(buffers) * LookupBucketLayout.ENTRY_COUNT)
                    .isGreaterThanOrEqualTo(2 * buffers);
        }
    }

    @Test
    void wrongArgumentsAreNamed() {
        var whole = List.of(new PartitionShape(0, 0, 10, 10));
        assertThatThrownBy(() -> SegmentLayout.of(whole, BUFFER_BYTES, 10 * BUFFER_BYTES, 65536))
                .hasMessage("slots: 65536 is not in 1..65535");
        assertThatThrownBy(() -> SegmentLayout.of(whole, 3000, 10 * BUFFER_BYTES, 1))
                .hasMessage("bufferSize: 3000 is not a power of two from 512 to 2 MiB");
        assertThatThrownBy(() -> SegmentLayout.of(whole, BUFFER_BYTES, 9 * BUFFER_BYTES, 1))
                .hasMessageContaining("beyond the buffers file of 73728 bytes");
        var overlapping = List.of(new PartitionShape(0, 0, 10, 10), new PartitionShape(1, 9 * BUFFER_BYTES, 1, 1));
        assertThatThrownBy(() -> SegmentLayout.of(overlapping, BUFFER_BYTES, 20 * BUFFER_BYTES, 1))
                .hasMessageContaining("begins before the one before it ends, at 81920");
        assertThatThrownBy(() -> new PartitionShape(0, 0, 0, 10)).hasMessageContaining("1 <= bufferCount");
    }

    private static SegmentSection sectionAt(SegmentLayout layout, long offset) {
        return layout.sections().stream()
                .filter(section -> section.offsetBytes() <= offset && offset < section.offsetBytes() + section.bytes())
                .findFirst()
                .orElseThrow();
    }

    private static SegmentLayout oneBuffer() {
        var shape = new PartitionShape(PartitionShape.NO_SINGLE_NODE, 0, 1, 1);
        return SegmentLayout.of(List.of(shape), BUFFER_BYTES, BUFFER_BYTES, 1);
    }

    private static SegmentLayout fourNodes(int slots) {
        return nodes(slots, GIB / BUFFER_BYTES, GIB / BUFFER_BYTES);
    }

    private static SegmentLayout fourNodesWithRoom() {
        return nodes(8, 1000, GIB / BUFFER_BYTES);
    }

    private static SegmentLayout nodes(int slots, long count, long capacity) {
        var shapes = IntStream.range(0, 4)
                .mapToObj(node -> new PartitionShape(node, node * GIB, count, capacity))
                .toList();
        return SegmentLayout.of(shapes, BUFFER_BYTES, 4 * GIB, slots);
    }
}
