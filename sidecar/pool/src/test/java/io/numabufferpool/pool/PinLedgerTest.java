package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.layout.BufferNumber;
import io.numabufferpool.layout.LedgerEntry;
import io.numabufferpool.layout.SlotLayout;
import java.util.HashMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PinLedgerTest {
    private final TestSegment segment = TestSegment.of(8, 4);
    private final Segment view = segment.attach().segment();
    private int leased = 1;
    private final PinLedger ledger = new PinLedger(view, 0, () -> leased++);

    @AfterEach
    void unmap() {
        segment.close();
    }

    @Test
    void aPublishedPinStandsInTheSlotUntilItIsUnpinned() {
        ledger.reserve();
        int position = ledger.publish(number(3));
        assertThat(published()).containsExactly(number(3));

        ledger.unpin(position);

        assertThat(published()).isEmpty();
        assertThat(ledger.find(number(3))).isEqualTo(PinLedger.ABSENT);
    }

    @Test
    void entriesAreUsedAgainSoThatSweepersReadFew() {
        for (int i = 0; i < 1000; i++) {
            ledger.reserve();
            ledger.unpin(ledger.publish(number(i)));
        }

        assertThat((int) SlotLayout.LEDGER_HIGH.get(segment.control, view.slotOffset(0)))
                .isEqualTo(1);
        assertThat(leased).isEqualTo(1);
    }

    @Test
    void aFullLedgerGoesOnInAnotherSlot() {
        for (int i = 0; i < SlotLayout.LEDGER_ENTRY_COUNT + 1; i++) {
            ledger.reserve();
            ledger.publish(number(i));
        }

        assertThat(ledger.furtherSlots()).containsExactly(1);
        assertThat(published()).hasSize(SlotLayout.LEDGER_ENTRY_COUNT + 1);
        assertThat(ledger.find(number(SlotLayout.LEDGER_ENTRY_COUNT))).isEqualTo(SlotLayout.LEDGER_ENTRY_COUNT);
        assertThat(ledger.clearAll()).isEqualTo(SlotLayout.LEDGER_ENTRY_COUNT + 1);
        assertThat(published()).isEmpty();
    }

    @Test
    void everyPinIsFoundAfterAnyOrderOfPinsAndUnpins() {
        var random = new SplittableRandom(5);
        var expected = new HashMap<Long, Integer>();
        for (int i = 0; i < 50_000; i++) {
            long number = number(random.nextInt(700));
            int position = ledger.find(number);
            assertThat(position != PinLedger.ABSENT).isEqualTo(expected.containsKey(number));
            boolean pin = random.nextInt(1000) < 500 || expected.isEmpty();
            if (position == PinLedger.ABSENT) {
                ledger.reserve();
                ledger.publish(number);
                expected.put(number, 1);
            } else if (pin) {
                ledger.countAgain(position);
                expected.merge(number, 1, Integer::sum);
            } else {
                ledger.unpin(position);
                expected.computeIfPresent(number, (key, count) -> count == 1 ? null : count - 1);
            }
        }

        assertThat(published()).isEqualTo(expected.keySet());
    }

    private Set<Long> published() {
        var numbers = new TreeSet<Long>();
        for (int slot = 0; slot < leased; slot++) {
            int high = (int) SlotLayout.LEDGER_HIGH.get(segment.control, view.slotOffset(slot));
            for (int i = 0; i < high; i++) {
                long entry = (long) SlotLayout.LEDGER_ENTRY.get(
                        segment.control, view.slotOffset(slot) + SlotLayout.LEDGER_OFFSET + 8L * i);
                if (entry != 0) {
                    numbers.add(LedgerEntry.bufferNumber(entry));
                }
            }
        }
        return numbers;
    }

    private static long number(long index) {
        return BufferNumber.of(1, index);
    }
}
