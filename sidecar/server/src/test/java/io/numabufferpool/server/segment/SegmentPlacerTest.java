package io.numabufferpool.server.segment;

import static io.numabufferpool.server.segment.FakeNodes.HUGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.numabufferpool.crds.Reason;
import io.numabufferpool.linux.Errno;
import io.numabufferpool.linux.FakeCall;
import io.numabufferpool.placement.Enforcement;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.PlacementMethod;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SegmentPlacerTest {
    private static final long SHARE = 2 * HUGE;

    private final FakeNodes nodes = new FakeNodes();

    @ParameterizedTest
    @EnumSource(
            value = PlacementMethod.class,
            names = {"Mbind", "PinnedFirstTouch"})
    void everyRangeLiesWhollyOnItsNodeInHugePages(PlacementMethod method) {
        var windows = nodes.map(FakeNodes.oneRangeANode(SHARE), HugePageMode.Transparent);

        var placed = nodes.placer(HugePageMode.Transparent).place(windows, method, Enforcement.Strict);

        assertThat(placed.method()).isEqualTo(method);
        for (int node = 0; node < FakeNodes.COUNT; node++) {
            assertThat(placed.ranges().get(node).placedBytes()).isEqualTo(Map.of(node, SHARE));
            assertThat(placed.ranges().get(node).hugeBytes()).isEqualTo(SHARE);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = PlacementMethod.class,
            names = {"Mbind", "PinnedFirstTouch"})
    void stripesLieInEqualSharesAlsoAfterTheyBecameHuge(PlacementMethod method) {
        var windows = nodes.map(List.of(FakeNodes.striped(SHARE)), HugePageMode.Transparent);

        var placed = nodes.placer(HugePageMode.Transparent).place(windows, method, Enforcement.Strict);

        assertThat(placed.ranges().getFirst().placedBytes()).isEqualTo(Map.of(0, SHARE, 1, SHARE, 2, SHARE, 3, SHARE));
        assertThat(placed.ranges().getFirst().hugeBytes()).isEqualTo(4 * SHARE);
    }

    @Test
    void reservedPagesLieOnTheirNodes() {
        var windows = nodes.map(FakeNodes.oneRangeANode(SHARE), HugePageMode.Reserved);

        var placed = nodes.placer(HugePageMode.Reserved).place(windows, PlacementMethod.Mbind, Enforcement.Strict);

        assertThat(placed.asWanted()).isTrue();
        assertThat(placed.ranges())
                .allSatisfy(range -> assertThat(range.hugeBytes()).isEqualTo(SHARE));
    }

    @Test
    void tooFewReservedPagesUnderStrictNameTheNodeAndWhatIsMissing() {
        nodes.linux.setFreePages(1, HUGE, 1);
        var windows = nodes.map(FakeNodes.oneRangeANode(SHARE), HugePageMode.Reserved);

        var failed = catchThrowableOfType(
                PlacementFailed.class,
                () -> nodes.placer(HugePageMode.Reserved).place(windows, PlacementMethod.Mbind, Enforcement.Strict));

        assertThat(failed.reason()).isEqualTo(Reason.InsufficientHugePages);
        assertThat(failed)
                .hasMessageContaining("buffers of partition 1")
                .hasMessageContaining("on NUMA node 1 (EFAULT)")
                .hasMessageContaining("spec.placement.enforcement to BestEffort");
    }

    @Test
    void tooFewReservedPagesUnderBestEffortSpillAndAreShownWhereTheyAre() {
        nodes.linux.setFreePages(1, HUGE, 1);
        var windows = nodes.map(FakeNodes.oneRangeANode(SHARE), HugePageMode.Reserved);

        var placed = nodes.placer(HugePageMode.Reserved).place(windows, PlacementMethod.Mbind, Enforcement.BestEffort);

        var spilled = placed.ranges().get(1);
        assertThat(placed.asWanted()).isFalse();
        assertThat(spilled.presentBytes()).isEqualTo(SHARE);
        assertThat(spilled.placedBytes()).containsEntry(1, HUGE);
        assertThat(spilled.spilledBytes().values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(HUGE);
        assertThat(placed.ranges().get(0).asWanted()).isTrue();
    }

    @Test
    void nobodyServesASegmentWithHoles() {
        for (int node = 0; node < FakeNodes.COUNT; node++) {
            nodes.linux.setFreePages(node, 4096, 700);
        }
        var windows = nodes.map(List.of(FakeNodes.striped(SHARE)), HugePageMode.Never);

        var failed = catchThrowableOfType(
                PlacementFailed.class,
                () -> nodes.placer(HugePageMode.Never).place(windows, PlacementMethod.Mbind, Enforcement.BestEffort));

        assertThat(failed.reason()).isEqualTo(Reason.InsufficientMemory);
        assertThat(failed).hasMessageContaining("The kernel gave no pages for buffers");
    }

    @ParameterizedTest
    @EnumSource(
            value = FakeCall.class,
            names = {"BIND_MEMORY", "SET_TASK_POLICY"})
    void aRefusedPolicyFallsToPinnedFirstTouch(FakeCall refused) {
        nodes.linux.fail(refused, Errno.EPERM);
        var ranges =
                refused == FakeCall.BIND_MEMORY ? FakeNodes.oneRangeANode(SHARE) : List.of(FakeNodes.striped(SHARE));
        var windows = nodes.map(ranges, HugePageMode.Transparent);

        var placed = nodes.placer(HugePageMode.Transparent).place(windows, PlacementMethod.Mbind, Enforcement.Strict);

        assertThat(placed.method()).isEqualTo(PlacementMethod.PinnedFirstTouch);
        assertThat(placed.asWanted()).isTrue();
        assertThat(nodes.log()).contains("the placement method was refused").contains("EPERM");
    }

    @Test
    void pagesThatSpilledAreFreedAndPopulatedAgainWhereThereIsRoomNow() {
        nodes.linux.setFreePages(1, 4096, 100);
        nodes.progress = (step, done, total) -> {
            if (step.equals("collapse")) {
                nodes.linux.setFreePages(1, 4096, 10_000);
            }
        };
        var windows = nodes.map(FakeNodes.oneRangeANode(SHARE), HugePageMode.Transparent);

        var placed = nodes.placer(HugePageMode.Transparent)
                .place(windows, PlacementMethod.PinnedFirstTouch, Enforcement.Strict);

        assertThat(placed.asWanted()).isTrue();
        assertThat(nodes.log()).contains("freed pages that were not on their NUMA node");
    }

    @Test
    void whatStaysSpilledIsRefusedUnderStrictWithBytesAndNodes() {
        nodes.linux.setFreePages(1, 4096, 0);
        var windows = nodes.map(FakeNodes.oneRangeANode(SHARE), HugePageMode.Never);

        var failed = catchThrowableOfType(
                PlacementFailed.class,
                () -> nodes.placer(HugePageMode.Never)
                        .place(windows, PlacementMethod.PinnedFirstTouch, Enforcement.Strict));

        assertThat(failed.reason()).isEqualTo(Reason.PlacementSpilled);
        assertThat(failed)
                .hasMessageContaining("buffers of partition 1 (wanted 4 MiB on NUMA node 1)")
                .hasMessageContaining("4 MiB on NUMA node");
    }

    @Test
    void collapseIsTriedAgainWhilePagesAreBusy() {
        nodes.linux.fail(FakeCall.COLLAPSE, Errno.EAGAIN, 0, 5);
        var windows = nodes.map(FakeNodes.oneRangeANode(SHARE), HugePageMode.Transparent);

        var placed = nodes.placer(HugePageMode.Transparent).place(windows, PlacementMethod.Mbind, Enforcement.Strict);

        assertThat(placed.collapse()).isEqualTo(Errno.OK);
        assertThat(placed.ranges())
                .allSatisfy(range -> assertThat(range.hugeBytes()).isEqualTo(SHARE));
    }

    @Test
    void aKernelWithoutCollapseServesSmallPagesAndSaysSo() {
        nodes.linux.fail(FakeCall.COLLAPSE, Errno.EINVAL);
        var windows = nodes.map(FakeNodes.oneRangeANode(SHARE), HugePageMode.Transparent);

        var placed = nodes.placer(HugePageMode.Transparent).place(windows, PlacementMethod.Mbind, Enforcement.Strict);

        assertThat(placed.asWanted()).isTrue();
        assertThat(placed.collapse()).isEqualTo(Errno.EINVAL);
        assertThat(placed.ranges())
                .allSatisfy(range -> assertThat(range.hugeBytes()).isZero());
    }

    @Test
    void aSignalEndsPrefaultBetweenTwoPieces() {
        nodes.progress = (step, done, total) -> nodes.stop.request();
        var windows = nodes.map(FakeNodes.oneRangeANode(SHARE), HugePageMode.Transparent);

        var stopped = catchThrowableOfType(
                StopSignal.Stopped.class,
                () -> nodes.placer(HugePageMode.Transparent).place(windows, PlacementMethod.Mbind, Enforcement.Strict));

        assertThat(stopped).isNotNull();
    }

    /** Two CPUs on each of four nodes: each of the eight threads waits at its first chunk until all have one. */
    @ParameterizedTest
    @EnumSource(
            value = PlacementMethod.class,
            names = {"Mbind", "PinnedFirstTouch"})
    void everyCpuOfANodeHelpsToPopulateIt(PlacementMethod method) {
        var threads = ConcurrentHashMap.<String>newKeySet();
        var allAtWork = new CountDownLatch(2 * FakeNodes.COUNT);
        nodes.progress = (step, done, total) -> {
            if (step.equals("prefault") && threads.add(Thread.currentThread().getName())) {
                allAtWork.countDown();
                awaitOrFail(allAtWork);
            }
        };
        var windows = nodes.map(List.of(FakeNodes.striped(4 * FakeNodes.HUGE)), HugePageMode.Transparent);

        var placed = nodes.placer(HugePageMode.Transparent).place(windows, method, Enforcement.Strict);

        assertThat(threads).hasSize(2 * FakeNodes.COUNT);
        assertThat(placed.method()).isEqualTo(method);
        assertThat(placed.asWanted()).isTrue();
    }

    private static void awaitOrFail(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As Linux 5.10 answers. */
    @Test
    void aKernelWithoutPopulateIsNamedNotCalledFull() {
        nodes.linux.fail(FakeCall.POPULATE_WRITE, Errno.EINVAL);
        var windows = nodes.map(FakeNodes.oneRangeANode(SHARE), HugePageMode.Transparent);

        var failed = catchThrowableOfType(
                PlacementFailed.class,
                () -> nodes.placer(HugePageMode.Transparent)
                        .place(windows, PlacementMethod.Mbind, Enforcement.BestEffort));

        assertThat(failed.reason()).isEqualTo(Reason.SegmentFailed);
        assertThat(failed)
                .hasMessageStartingWith("madvise(MADV_POPULATE_WRITE) failed for ")
                .hasMessageEndingWith("Run the pod on a node with Linux 5.14 or later.");
    }

    @Test
    void anInterruptedPopulateGoesOn() {
        nodes.linux.fail(FakeCall.POPULATE_WRITE, Errno.EINTR, 0, 7);
        var windows = nodes.map(FakeNodes.oneRangeANode(SHARE), HugePageMode.Never);

        var placed = nodes.placer(HugePageMode.Never).place(windows, PlacementMethod.Mbind, Enforcement.Strict);

        assertThat(placed.asWanted()).isTrue();
    }
}
