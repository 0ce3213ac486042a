package io.numabufferpool.server.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.numabufferpool.client.attach.ClientsLock;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.pool.Reaper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rules, with a pool that only remembers; real processes die in the client's tests. */
class SlotReaperTest {
    private static final Duration TWO_ROUNDS = Duration.ofNanos(2 * SlotReaper.ROUND_NANOS + 500_000_000L);

    private final Linux linux = new JnaLinux();
    private final Holders holders = new Holders();
    private final List<Set<Integer>> told = Collections.synchronizedList(new ArrayList<>());

    @TempDir
    private Path folder;

    private ClientsLock client;

    @BeforeEach
    void openTheClientsLock() {
        client = ClientsLock.openOrCreate(linux, folder);
    }

    @AfterEach
    void closeTheClientsLock() {
        client.close();
    }

    private SlotReaper start() {
        return SlotReaper.start(linux, folder, holders, (dead, found) -> told.add(Set.copyOf(dead)));
    }

    @Test
    void whoDiedWhileNoSidecarRanIsReapedInTheFirstRound() {
        holders.hold(3);
        try (var reaper = start()) {
            await().atMost(TWO_ROUNDS).untilAsserted(() -> assertThat(told).containsExactly(Set.of(3)));
        }
    }

    @Test
    void whoHoldsItsByteIsLeftAlone() {
        holders.hold(3);
        assertThat(client.tryTake(3)).isTrue();
        try (var reaper = start()) {
            await().pollDelay(TWO_ROUNDS).untilAsserted(() -> assertThat(told).isEmpty());
        }
    }

    @Test
    void theEndOfAConnectionIsLookedAtBeforeTheNextRound() {
        holders.hold(3);
        assertThat(client.tryTake(3)).isTrue();
        try (var reaper = start()) {
            await().pollDelay(Duration.ofMillis(200)).until(() -> true);

            reaper.connectionEnded(3);
            client.release(3);

            await().atMost(Duration.ofMillis(500))
                    .untilAsserted(() -> assertThat(told).containsExactly(Set.of(3)));
        }
    }

    @Test
    void aConnectionThatEndsWhileItsClientLivesCostsNothing() {
        holders.hold(3);
        assertThat(client.tryTake(3)).isTrue();
        try (var reaper = start()) {
            reaper.connectionEnded(3);

            await().pollDelay(Duration.ofMillis(500))
                    .untilAsserted(() -> assertThat(told).isEmpty());
        }
    }

    @Test
    void theByteIsHeldWhileItsSlotsAreClearedAndFreeAfterwards() {
        holders.hold(5);
        holders.duringReap = () -> holders.byteWasFree |= client.tryTake(5);
        try (var reaper = start()) {
            await().atMost(TWO_ROUNDS).untilAsserted(() -> assertThat(told).hasSize(1));
        }

        assertThat(holders.byteWasFree).isFalse();
        assertThat(client.tryTake(5)).isTrue();
    }

    @Test
    void allTheDeadAreReapedInOneCallBecauseTheyMayBlockEachOther() {
        holders.hold(1);
        holders.hold(2);
        holders.hold(4);
        assertThat(client.tryTake(2)).isTrue();
        try (var reaper = start()) {
            await().atMost(TWO_ROUNDS).untilAsserted(() -> assertThat(told).containsExactly(Set.of(1, 4)));
        }
    }

    @Test
    void oneThatCannotBeClearedDoesNotKeepTheOthers() {
        holders.hold(1);
        holders.hold(2);
        holders.broken = 2;
        try (var reaper = start()) {
            await().atMost(TWO_ROUNDS).untilAsserted(() -> assertThat(told).contains(Set.of(1)));

            holders.broken = 0;
            await().atMost(TWO_ROUNDS).untilAsserted(() -> assertThat(told).contains(Set.of(2)));
        }
    }

    @Test
    void aPoolThatCannotBeReadIsReadAgainInTheNextRound() {
        holders.hold(1);
        holders.unreadable = true;
        try (var reaper = start()) {
            await().pollDelay(Duration.ofMillis(200))
                    .untilAsserted(() -> assertThat(told).isEmpty());

            holders.unreadable = false;

            await().atMost(TWO_ROUNDS).untilAsserted(() -> assertThat(told).containsExactly(Set.of(1)));
        }
    }

    /** Remembers who holds slots. */
    private static final class Holders implements SlotHolders {
        private final Set<Integer> numbers = new TreeSet<>();
        private volatile Runnable duringReap = () -> {};
        private volatile boolean byteWasFree;
        private volatile int broken;
        private volatile boolean unreadable;

        synchronized void hold(int number) {
            numbers.add(number);
        }

        @Override
        public synchronized Set<Integer> clientNumbers() {
            if (unreadable) {
                throw new IllegalStateException("slot 7 names owner 99999");
            }
            return new TreeSet<>(numbers);
        }

        @Override
        public synchronized Reaper.Reaped reap(Set<Integer> dead) {
            if (dead.contains(broken)) {
                throw new IllegalStateException("slots of client " + broken + " are broken");
            }
            duringReap.run();
            numbers.removeAll(dead);
            return new Reaper.Reaped(dead.size(), 0, 0, 0, 0, 0, 0);
        }
    }
}
