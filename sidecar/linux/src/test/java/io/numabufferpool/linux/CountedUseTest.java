package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CountedUseTest {
    private final AtomicInteger freed = new AtomicInteger();
    private final CountedUse use = new CountedUse(freed::incrementAndGet);

    @Test
    void theOwnersEndFreesWhatNobodyUses() {
        use.end();

        assertThat(freed).hasValue(1);
        assertThat(use.tryEnter()).isFalse();
    }

    @Test
    void theLastCallFreesWhatItsOwnerHasEnded() {
        assertThat(use.tryEnter()).isTrue();
        assertThat(use.tryEnter()).isTrue();

        use.end();
        use.leave();

        assertThat(freed).hasValue(0);
        assertThat(use.tryEnter()).isFalse();
        use.leave();
        assertThat(freed).hasValue(1);
    }

    @Test
    void endingTwiceFreesOnce() {
        assertThat(use.tryEnter()).isTrue();
        use.end();
        use.end();

        use.leave();

        assertThat(freed).hasValue(1);
    }
}
