package io.numabufferpool.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Plans that a person can read and check by hand. */
class PlanFixturesTest {
    private static final String REFRESH = "./mvnw -q test -pl sidecar/placement -am -Dnumapool.render=true";

    static List<Path> plans() throws IOException {
        try (var files = Files.list(folder())) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("plans")
    void thePlanIsTheOneBelowTheLine(Path file) throws IOException {
        var fixture = PlanFixture.read(file);
        var outcome = PlanFixture.render(PlacementPlanner.plan(fixture.request(), fixture.observation()));
        if (Boolean.getBoolean("numapool.render")) {
            fixture.write(outcome);
            return;
        }

        assertThat(outcome)
                .as("Look at the difference, then refresh with: " + REFRESH)
                .isEqualTo(fixture.expected());
    }

    /** In the sources, not among the compiled resources, so that a refresh reaches what is committed. */
    private static Path folder() {
        return Path.of(System.getProperty("numapool.root"), "sidecar/placement/src/test/resources", "plans");
    }
}
