package io.numabufferpool.server.lifecycle;

import io.numabufferpool.crds.NumaBufferPoolSpec;
import io.numabufferpool.crds.PlacementMapping;
import io.numabufferpool.placement.ByteCount;
import java.util.Objects;
import java.util.Optional;

/** Which changes of a pool's spec a segment follows while it is used: its size up to maxSize, and where it lies. Pure. */
final class LiveSpec {
    private LiveSpec() {}

    /** What of {@code next} needs a new segment, in a sentence; empty: the segment that is there can follow it. */
    static Optional<String> needsRestart(NumaBufferPoolSpec now, NumaBufferPoolSpec next) {
        var before = PlacementMapping.toRequest(now);
        var after = PlacementMapping.toRequest(next);
        if (before.bufferBytes() != after.bufferBytes()) {
            return fixed(
                    "bufferSize", now.bufferSize().text(), next.bufferSize().text());
        }
        if (before.hugePageMode() != after.hugePageMode() || before.hugePageBytes() != after.hugePageBytes()) {
            return fixed(
                    "hugePages",
                    before.hugePageMode() + " " + ByteCount.asQuantity(before.hugePageBytes()),
                    after.hugePageMode() + " " + ByteCount.asQuantity(after.hugePageBytes()));
        }
        if (before.maxSizeBytes() != after.maxSizeBytes()) {
            return fixed(
                    "maxSize", ByteCount.asQuantity(before.maxSizeBytes()), ByteCount.asQuantity(after.maxSizeBytes()));
        }
        if (!Objects.equals(now.slots().max(), next.slots().max())) {
            return fixed("slots.max", now.slots().max(), next.slots().max());
        }
        if (now.access() != next.access()) {
            return fixed("access", now.access(), next.access());
        }
        return Optional.empty();
    }

    private static Optional<String> fixed(String field, Object now, Object next) {
        return Optional.of("spec." + field + " is " + now + " in this segment and cannot become " + next
                + " while it is used; restart the pod.");
    }
}
