package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.layout.ControlHeaderLayout;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SpaceTableTest {
    private static final SpaceIdentity FILE = new SpaceIdentity(1, 2, 3, 4096, 100, 100);

    private final TestSegment segment = TestSegment.ofBuffers(8);
    private final BufferPool pool = segment.attach();

    @AfterEach
    void unmap() {
        segment.close();
    }

    @Test
    void theSameFileIsTheSameSpaceInEveryProcess() {
        int space = pool.registerSpace(FILE);

        assertThat(space).isNotZero();
        assertThat(pool.registerSpace(FILE)).isEqualTo(space);
        assertThat(segment.attach().registerSpace(FILE)).isEqualTo(space);
        assertThat(pool.readStatistics().spacesRegistered()).isEqualTo(1);
    }

    @Test
    void anyDifferenceIsAnotherSpace() {
        var spaces = new HashSet<Integer>();
        spaces.add(pool.registerSpace(FILE));
        spaces.add(pool.registerSpace(new SpaceIdentity(9, 2, 3, 4096, 100, 100)));
        spaces.add(pool.registerSpace(new SpaceIdentity(1, 9, 3, 4096, 100, 100)));
        spaces.add(pool.registerSpace(new SpaceIdentity(1, 2, 9, 4096, 100, 100)));
        spaces.add(pool.registerSpace(new SpaceIdentity(1, 2, 3, 4095, 100, 100)));
        spaces.add(pool.registerSpace(new SpaceIdentity(1, 2, 3, 4096, 101, 100)));
        spaces.add(pool.registerSpace(new SpaceIdentity(1, 2, 3, 4096, 100, 101)));

        assertThat(spaces).hasSize(7);
    }

    @Test
    void pagesOfAReplacedFileAreNeverServedForTheNewOne() throws IOException {
        int old = pool.registerSpace(FILE);
        int replaced = pool.registerSpace(new SpaceIdentity(1, 2, 3, 4096, 200, 200));
        try (var session = pool.openSession()) {
            session.unpin(session.pin(old, 0, BlockContent.of(old)));

            long handle = session.pin(replaced, 0, BlockContent.of(replaced));

            BlockContent.check(session.memory(handle), replaced, 0);
            session.unpin(handle);
        }
    }

    @Test
    void aFullTableForgetsTheFileThatWasRegisteredLongestAgo() {
        int first = pool.registerSpace(file(0));
        int second = pool.registerSpace(file(1));
        for (int i = 2; i < 8; i++) {
            pool.registerSpace(file(i));
        }
        pool.registerSpace(file(0));

        pool.registerSpace(file(8));

        assertThat(pool.registerSpace(file(0))).isEqualTo(first);
        assertThat(pool.registerSpace(file(1)))
                .as("a number is never used twice")
                .isGreaterThan(second + 7);
    }

    @Test
    void aLockThatADeadProcessHoldsNamesItAndIsFreedByTheReaper() {
        ControlHeaderLayout.SPACE_LOCK.set(segment.control, 0L, 42);
        var hasty = segment.attach(9, TestSegment.hasty());

        assertThatThrownBy(() -> hasty.registerSpace(FILE))
                .isInstanceOf(PoolException.Stuck.class)
                .hasMessageContaining("locked by client 42");
        pool.reaper().reap(Set.of(42));

        assertThat(hasty.registerSpace(FILE)).isNotZero();
    }

    private static SpaceIdentity file(long inode) {
        return new SpaceIdentity(1, inode, 0, 4096, 100, 100);
    }
}
