package io.numabufferpool.server.lifecycle;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numabufferpool.placement.PlacementRequest;
import io.numabufferpool.server.report.VerificationDocument;
import io.numabufferpool.server.segment.PartitionRanges;
import io.numabufferpool.server.segment.RangePlacement;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts a segment's pages, by the timer and when somebody asks; one at a time, and never while the segment is being closed.
 * Thread-safe.
 */
final class Verification {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String pool;
    private final PlacementRequest request;
    private final StateBoard board;
    private final Clock clock;
    private final Consumer<List<RangePlacement>> counted;
    private @Nullable LiveSegment segment;

    /** {@code counted}: gets every count, to judge and publish it. */
    Verification(
            String pool,
            PlacementRequest request,
            StateBoard board,
            Clock clock,
            Consumer<List<RangePlacement>> counted) {
        this.pool = pool;
        this.request = request;
        this.board = board;
        this.clock = clock;
        this.counted = counted;
    }

    synchronized void begin(LiveSegment live) {
        segment = live;
    }

    /** From now on nothing is counted; a count that runs has ended. */
    synchronized void end() {
        segment = null;
    }

    /** Runs while nothing is counted. */
    synchronized void exclusively(Runnable work) {
        work.run();
    }

    /** Counts the whole segment now, if there is one. */
    synchronized void count() {
        if (segment != null) {
            counted.accept(segment.verify());
        }
    }

    /** Counts everything now, partition by partition too; empty where no segment is served. */
    synchronized Optional<VerificationDocument> verify() {
        var live = segment;
        var decision = board.state().decision();
        if (live == null || decision.isEmpty()) {
            return Optional.empty();
        }
        var placement = decision.get().placement();
        var ranges = live.verify();
        counted.accept(ranges);
        var partitions = live.count(PartitionRanges.of(placement, request.bufferBytes(), request.hugePageBytes()));
        boolean asDecided = ranges.stream().allMatch(RangePlacement::asWanted)
                && partitions.stream().allMatch(RangePlacement::asWanted);
        return Optional.of(new VerificationDocument(
                pool,
                Long.toHexString(live.generation()),
                clock.instant().toString(),
                placement.policy().name(),
                placement.numaNodes().toString(),
                asDecided,
                partitions.stream().map(VerificationDocument.Row::of).toList(),
                ranges.stream().map(VerificationDocument.Row::of).toList()));
    }

    /** The document as it goes over the attach socket. */
    Optional<String> json() {
        return verify().map(document -> {
            try {
                return JSON.writeValueAsString(document);
            } catch (JsonProcessingException bug) {
                throw new IllegalStateException("the verification cannot be written as JSON", bug);
            }
        });
    }
}
