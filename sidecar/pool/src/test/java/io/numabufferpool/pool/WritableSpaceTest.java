package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WritableSpaceTest {
    private static final int DEAD = 66;
    private static final long WAIT_NANOS = 1_000_000;

    private final TestSegment segment = TestSegment.ofBuffers(8);
    private final BufferPool pool = segment.attach();
    private final FakeSpaceFile.Content content = new FakeSpaceFile.Content();
    private final FakeSpaceFile file = new FakeSpaceFile(content);

    @AfterEach
    void unmap() {
        segment.close();
    }

    private FakeSpaceFile opener() {
        return new FakeSpaceFile(content);
    }

    @Test
    void allThatHaveItOpenShareOneSpaceWhateverTheFileSays() {
        var first = pool.openWritableSpace(file, Durability.WRITE_THROUGH);
        content.touch();
        var second = segment.attach().openWritableSpace(opener(), Durability.WRITE_THROUGH);

        assertThat(second.number()).isEqualTo(first.number());
        assertThat(pool.registerSpace(content.identity)).isNotEqualTo(first.number());
    }

    @Test
    void whoOpensItAfterTheLastOneClosedFindsThePagesOnlyIfTheFileIsTheSame() {
        var space = pool.openWritableSpace(file, Durability.WRITE_BACK);
        content.touch();
        space.close(file, WAIT_NANOS);

        var again = pool.openWritableSpace(file, Durability.WRITE_THROUGH);
        assertThat(again.number()).isEqualTo(space.number());
        again.close(file, WAIT_NANOS);
        content.touch();

        assertThat(pool.openWritableSpace(file, Durability.WRITE_THROUGH).number())
                .isNotEqualTo(space.number());
    }

    @Test
    void anotherDurabilityOrAnotherPoolIsRefused() {
        pool.openWritableSpace(file, Durability.WRITE_THROUGH);

        assertThatThrownBy(() -> pool.openWritableSpace(opener(), Durability.WRITE_BACK))
                .isInstanceOf(PoolException.SpaceInUse.class)
                .hasMessageContaining("another durability than WRITE_BACK");
        try (var otherSegment = TestSegment.ofBuffers(4)) {
            var otherPool = otherSegment.attach();
            assertThatThrownBy(() -> otherPool.openWritableSpace(opener(), Durability.WRITE_THROUGH))
                    .isInstanceOf(PoolException.SpaceInUse.class)
                    .hasMessageContaining("through another pool");
        }
        assertThatThrownBy(() -> segment.attachReadOnly().openWritableSpace(opener(), Durability.WRITE_BACK))
                .hasMessageContaining("attached ReadOnly");
    }

    @Test
    void theTableForgetsNoSpaceThatIsOpenForWriting() {
        var space = pool.openWritableSpace(file, Durability.WRITE_THROUGH);
        for (int i = 0; i < 20; i++) {
            pool.registerSpace(new SpaceIdentity(9, i, 0, 4096, 1, 1));
        }
        assertThat(segment.attach()
                        .openWritableSpace(opener(), Durability.WRITE_THROUGH)
                        .number())
                .isEqualTo(space.number());

        for (int i = 0; i < 7; i++) {
            pool.openWritableSpace(otherFile(i), Durability.WRITE_THROUGH);
        }
        assertThatThrownBy(() -> pool.openWritableSpace(otherFile(7), Durability.WRITE_THROUGH))
                .isInstanceOf(PoolException.SpaceInUse.class)
                .hasMessageContaining("all 8 entries");
    }

    private static FakeSpaceFile otherFile(int inode) {
        var other = new FakeSpaceFile.Content();
        other.identity = new SpaceIdentity(8, inode, 0, 4096, 1, 1);
        return new FakeSpaceFile(other);
    }

    @Test
    void aWriterThatDiesInAChangeStopsTheOthersUntilSomebodyRecovers() throws IOException {
        var space = pool.openWritableSpace(file, Durability.WRITE_THROUGH);
        var loader = BlockContent.of(space.number());
        var dead = deadSession();
        long page = dead.pin(space.number(), 5, loader);
        dead.lockExclusive(page);
        BlockContent.fill(dead.writableMemory(page).asSlice(0, 64), 99, 99);
        space.requireWhole();

        assertThat(pool.reaper().reap(Set.of(DEAD)).buffersTorn()).isEqualTo(1);

        assertThatThrownBy(space::requireWhole)
                .isInstanceOf(PoolException.PeerDied.class)
                .hasMessageContaining("recover the space");
        try (var session = pool.openSession()) {
            assertThatThrownBy(() -> session.pin(space.number(), 5, loader)).isInstanceOf(PoolException.Torn.class);
            recover(space, session, -1);
            space.requireWhole();
            long handle = session.pin(space.number(), 5, loader);
            BlockContent.check(session.memory(handle), space.number(), 5);
            session.unpin(handle);
        }
        assertThat(space.beginRecovery(WAIT_NANOS)).as("nothing to recover").isEqualTo(-1);
        PoolChecks.checkNothingIsHeld(pool);
    }

    @Test
    void aRecoveryThatCannotReadLeavesThePageTornAndCanBeRepeated() throws IOException {
        var space = pool.openWritableSpace(file, Durability.WRITE_THROUGH);
        var loader = BlockContent.of(space.number());
        var dead = deadSession();
        dead.lockExclusive(dead.pin(space.number(), 5, loader));
        pool.reaper().reap(Set.of(DEAD));
        try (var session = pool.openSession()) {
            long epoch = space.beginRecovery(WAIT_NANOS);
            assertThatThrownBy(() -> session.reloadUnlogged(space.number(), -1, (target, block) -> {
                        throw new IOException("cannot be read");
                    }))
                    .hasMessage("cannot be read");
            space.endRecovery(epoch, false);

            assertThatThrownBy(space::requireWhole).isInstanceOf(PoolException.PeerDied.class);
            assertThatThrownBy(() -> session.pin(space.number(), 5, loader)).isInstanceOf(PoolException.Torn.class);
            recover(space, session, -1);
            space.requireWhole();
        }
    }

    @Test
    void changesThatAreInTheLogOutliveTheirMakerAndOthersAreTakenBack() throws IOException {
        var space = pool.openWritableSpace(file, Durability.WRITE_BACK);
        var loader = BlockContent.of(space.number());
        var dead = deadSession();
        change(dead, space.number(), 1, 100);
        change(dead, space.number(), 2, 200);
        space.raiseLoggedPosition(150);
        space.raiseLoggedPosition(120);
        assertThat(space.loggedPosition()).isEqualTo(150);

        var reaped = pool.reaper().reap(Set.of(DEAD));

        assertThat(reaped.buffersOrphaned()).isEqualTo(2);
        assertThat(space.orphanings()).isEqualTo(1);
        assertThatThrownBy(space::requireWhole).isInstanceOf(PoolException.PeerDied.class);
        try (var session = pool.openSession()) {
            recover(space, session, space.loggedPosition());
            space.requireWhole();
            check(session, space.number(), 1, 1001, loader);
            check(session, space.number(), 2, 2, loader);
            assertThat(session.flushOrphans(space.number(), (source, block, position) -> {
                        assertThat(block).isEqualTo(1);
                        assertThat(position).isEqualTo(100);
                    }))
                    .isEqualTo(1);
        }
    }

    @Test
    void aDeathWithEverythingInTheLogCostsNobodyARecovery() throws IOException {
        var space = pool.openWritableSpace(file, Durability.WRITE_BACK);
        change(deadSession(), space.number(), 1, 100);
        space.raiseLoggedPosition(100);

        pool.reaper().reap(Set.of(DEAD));

        space.requireWhole();
        assertThat(space.orphanings()).isEqualTo(1);
    }

    @Test
    void reapingAgainAfterAReaperThatDiedFindsTheSame() throws IOException {
        var space = pool.openWritableSpace(file, Durability.WRITE_THROUGH);
        change(deadSession(), space.number(), 1, 0);
        pool.reaper().reap(Set.of(DEAD));
        long crashes = space.crashEpoch();

        assertThat(pool.reaper().reap(Set.of(DEAD)).buffersOrphaned()).isZero();
        assertThat(space.crashEpoch()).isEqualTo(crashes);
    }

    @Test
    void whoOpensAfterAllHaveDiedWithChangesLeftHasToRecover() throws IOException {
        var deadPool = segment.attach(DEAD, TestSegment.patient());
        var space = deadPool.openWritableSpace(file, Durability.WRITE_BACK);
        change(deadPool.openSession(), space.number(), 1, 100);
        content.touch();
        file.unlock();
        pool.reaper().reap(Set.of(DEAD));

        var next = pool.openWritableSpace(opener(), Durability.WRITE_BACK);

        assertThat(next.number()).isEqualTo(space.number());
        assertThatThrownBy(next::requireWhole).isInstanceOf(PoolException.PeerDied.class);
    }

    @Test
    void oneRecoversAtATimeAndADeadOneMakesRoom() throws IOException {
        var space = pool.openWritableSpace(file, Durability.WRITE_THROUGH);
        change(deadSession(), space.number(), 1, 0);
        pool.reaper().reap(Set.of(DEAD));
        var deadRecoverer =
                segment.attach(67, TestSegment.patient()).openWritableSpace(opener(), Durability.WRITE_THROUGH);
        assertThat(deadRecoverer.beginRecovery(WAIT_NANOS)).isEqualTo(1);

        assertThatThrownBy(() -> space.beginRecovery(WAIT_NANOS))
                .isInstanceOf(PoolException.Stuck.class)
                .hasMessageContaining("recovered by client 67");
        pool.reaper().reap(Set.of(67));

        assertThat(space.beginRecovery(WAIT_NANOS)).isEqualTo(1);
    }

    private PoolSession deadSession() {
        return segment.attach(DEAD, TestSegment.patient()).openSession();
    }

    /** Block n is n * 1000 + 1 then. */
    private static void change(PoolSession session, int space, long block, long logPosition) throws IOException {
        long handle = session.pin(space, block, BlockContent.of(space));
        session.lockExclusive(handle);
        BlockContent.fill(session.writableMemory(handle), space, block * 1000 + 1);
        session.unlockExclusiveDirty(handle, logPosition);
        session.unpin(handle);
    }

    private static void check(PoolSession session, int space, long block, long content, BlockLoader loader)
            throws IOException {
        long handle = session.pin(space, block, loader);
        BlockContent.check(session.memory(handle), space, content);
        session.unpin(handle);
    }

    private static void recover(WritableSpace space, PoolSession session, long loggedPosition) throws IOException {
        long epoch = space.beginRecovery(WAIT_NANOS);
        session.reloadUnlogged(space.number(), loggedPosition, BlockContent.of(space.number()));
        space.endRecovery(epoch, true);
    }
}
