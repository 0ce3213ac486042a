package io.numabufferpool.layout;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BufferNumberTest {
    @Test
    void theLargestPartitionAndIndexComeBack() {
        long index = BufferNumber.BUFFERS_PER_PARTITION_MAX - 1;

        long number = BufferNumber.of(BufferNumber.PARTITION_COUNT_MAX - 1, index);

        assertThat(BufferNumber.partition(number)).isEqualTo(BufferNumber.PARTITION_COUNT_MAX - 1);
        assertThat(BufferNumber.index(number)).isEqualTo(index);
        assertThat(number & ~BufferNumber.MASK).isZero();
    }

    @Test
    void theFirstBufferIsNotNone() {
        assertThat(BufferNumber.of(0, 0)).isNotEqualTo(BufferNumber.NONE);
        assertThat(BufferNumber.index(BufferNumber.NONE)).isEqualTo(-1);
    }

    @Test
    void aLookupEntryHoldsFingerprintAndNumber() {
        long number = BufferNumber.of(77, 1234567);

        long entry = LookupBucketLayout.entry(0xFFFF, number);

        assertThat(LookupBucketLayout.fingerprint(entry)).isEqualTo(0xFFFF);
        assertThat(entry & BufferNumber.MASK).isEqualTo(number);
    }

    @Test
    void aLedgerEntryHoldsModeAndNumber() {
        long number = BufferNumber.of(65535, 9);

        assertThat(LedgerEntry.bufferNumber(LedgerEntry.pinned(number))).isEqualTo(number);
        assertThat(LedgerEntry.pinned(number)).isNotEqualTo(number);
    }
}
