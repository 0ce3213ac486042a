package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.layout.BufferDescriptorLayout;
import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.LookupBucketLayout;
import io.numabufferpool.layout.StateWord;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Set;

/** What has to hold in a segment that nobody works in. */
final class PoolChecks {
    private PoolChecks() {}

    /** No pin, no lock, no owner; every VALID page is found under its tag, by one entry; no entry leads anywhere else. */
    static void checkNothingIsHeld(BufferPool pool) {
        var statistics = pool.readStatistics();
        assertThat(statistics.numaNodes())
                .allSatisfy(node -> assertThat(node.buffers().pinned()).isZero());
        assertThat(statistics.slotsLeased()).isZero();
        var mapped = mappedNumbers(pool);
        var segment = pool.segment();
        for (int partition = 0; partition < segment.partitionCount; partition++) {
            for (long index = 0; index < segment.bufferCount(partition); index++) {
                long number = BufferNumber.of(partition, index);
                long word = pool.descriptors()
                        .state(segment.descriptorsOffset(partition) + index * BufferDescriptorLayout.BYTES);
                assertThat(StateWord.phase(word)).as(StateWord.describe(word)).isIn(StateWord.FREE, StateWord.VALID);
                assertThat(StateWord.owner(word)).as(StateWord.describe(word)).isZero();
                assertThat(StateWord.has(word, StateWord.WAITERS))
                        .as(StateWord.describe(word))
                        .isFalse();
                assertThat(mapped.contains(number))
                        .as("buffer %x is %s", number, StateWord.describe(word))
                        .isEqualTo(StateWord.phase(word) == StateWord.VALID);
            }
        }
    }

    private static Set<Long> mappedNumbers(BufferPool pool) {
        var mapped = new HashSet<Long>();
        var tags = new HashMap<String, Long>();
        var table = pool.table();
        for (long bucket = 0; bucket < pool.segment().bucketCount; bucket++) {
            assertThat(table.lockOwner(bucket)).as("lock of bucket %d", bucket).isZero();
            for (int i = 0; i < LookupBucketLayout.ENTRY_COUNT; i++) {
                long entry = table.entry(table.bucketOffset(bucket, 0), i);
                if (entry == 0) {
                    continue;
                }
                long number = entry & BufferNumber.MASK;
                long at = pool.segment().descriptor(number);
                var tag =
                        pool.descriptors().space(at) + ":" + pool.descriptors().block(at);
                assertThat(mapped.add(number))
                        .as("buffer %x has one entry", number)
                        .isTrue();
                assertThat(tags.put(tag, number))
                        .as("block %s is in one buffer", tag)
                        .isNull();
            }
        }
        return mapped;
    }
}
