package io.numabufferpool.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ProbationQueueTest {
    @Test
    void comesOutInTheOrderItWentInHoweverItGrows() {
        var random = new SplittableRandom(5);
        var queue = new ProbationQueue();
        var expected = new ArrayDeque<Long>();
        for (long i = 1; i < 20_000; i++) {
            if (random.nextInt(5) < 3) {
                queue.add(i, i);
                expected.add(i);
            } else {
                long entry = queue.poll();
                var wanted = expected.poll();
                assertThat(ProbationQueue.number(entry)).isEqualTo(wanted == null ? ProbationQueue.NONE : wanted);
                assertThat(ProbationQueue.isVersion(entry, ProbationQueue.number(entry)))
                        .isTrue();
            }
            assertThat(queue.size()).isEqualTo(expected.size());
        }
    }

    @Test
    void anotherVersionIsAnotherPage() {
        var queue = new ProbationQueue();
        queue.add(7, 0x1_FFFF);

        long entry = queue.poll();

        assertThat(ProbationQueue.isVersion(entry, 0x1_FFFF)).isTrue();
        assertThat(ProbationQueue.isVersion(entry, 0x2_0000)).isFalse();
    }

    @Test
    void aFullQueueLetsTheOldestGo() {
        var queue = new ProbationQueue();
        for (long i = 1; i <= ProbationQueue.SIZE_MAX + 1; i++) {
            queue.add(i, 0);
        }

        assertThat(queue.size()).isEqualTo(ProbationQueue.SIZE_MAX);
        assertThat(ProbationQueue.number(queue.poll())).isEqualTo(2);
    }
}
