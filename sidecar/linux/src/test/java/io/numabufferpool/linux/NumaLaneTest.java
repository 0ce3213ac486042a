package io.numabufferpool.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** The lane itself, with runners that are ordinary programs. */
class NumaLaneTest {
    /** What the lane runs in these tests. */
    static class Sample {
        @Test
        void passes() {
            assertThat(Thread.currentThread()).isNotNull();
        }

        @Test
        void fails() {
            assertThat(1).as("one\nline and another").isEqualTo(2);
        }

        @Test
        void isSkipped() {
            Assumptions.abort("no such hardware");
        }
    }

    /** A class that ends its JVM. */
    static class Dies {
        @Test
        void dies() {
            Runtime.getRuntime().halt(3);
        }
    }

    private static List<DynamicTest> run(String runner, Class<?> classes) {
        return NumaLane.run(Optional.of(NumaLane.words(runner)), classes).toList();
    }

    private static DynamicTest named(List<DynamicTest> tests, String name) {
        return tests.stream()
                .collect(Collectors.toMap(DynamicTest::getDisplayName, test -> test))
                .get(name);
    }

    @Test
    void everyTestOfTheOtherJvmIsOneHereAndEndsTheSame() throws Throwable {
        var tests = run("env", Sample.class);

        assertThat(tests).hasSize(3);
        named(tests, "NumaLaneTest$Sample.passes").getExecutable().execute();
        assertThatThrownBy(named(tests, "NumaLaneTest$Sample.fails").getExecutable()::execute)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("one\nline and another");
        assertThatThrownBy(named(tests, "NumaLaneTest$Sample.isSkipped").getExecutable()::execute)
                .isInstanceOf(TestAbortedException.class)
                .hasMessageContaining("no such hardware");
    }

    @Test
    void aJvmThatDiesIsAFailedTest() {
        var tests = run("env", Dies.class);

        assertThatThrownBy(named(tests, "theRunItselfEndsWell").getExecutable()::execute)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("status 3 after 0 tests");
    }

    @Test
    void aRunnerThatRunsNothingIsAFailedTest() {
        var tests = run("sh -c exit", Sample.class);

        assertThatThrownBy(named(tests, "theRunItselfEndsWell").getExecutable()::execute)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("status 0 after 0 tests, not all of them");
    }

    @Test
    void withoutAPlaceToRunEveryTestIsSkippedByItsName() {
        var tests = NumaLane.run(Optional.empty(), Sample.class).toList();

        assertThat(tests)
                .extracting(DynamicTest::getDisplayName)
                .containsExactly(
                        "NumaLaneTest$Sample.fails", "NumaLaneTest$Sample.isSkipped", "NumaLaneTest$Sample.passes");
    }

    @Test
    void aLineInTheMiddleOfOutputIsRead() {
        var result = new GuestResult(GuestResult.Status.FAILED, "A.b(int)[1]", "two\nlines & signs %");

        assertThat(GuestResult.parse("printed " + result.toLine() + "\r")).contains(result);
        assertThat(GuestResult.parse("numa-lane of something else")).isEmpty();
    }
}
