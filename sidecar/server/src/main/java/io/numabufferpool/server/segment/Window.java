package io.numabufferpool.server.segment;

import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.Mapping;
import java.lang.foreign.MemorySegment;

/**
 * A range and the mapping through which this process places it and counts its pages. The kernel counts pages by mapping,
 * so every range has one of its own.
 *
 * @param range what is mapped
 * @param file the file, open for reading and writing
 * @param mapping exactly the range
 */
record Window(PlacedRange range, LinuxFile file, Mapping mapping) {
    MemorySegment memory() {
        return mapping.memory();
    }

    MemorySegment memory(PlacedRange.Stripe stripe) {
        return mapping.memory().asSlice(stripe.offsetBytes(), stripe.bytes());
    }
}
