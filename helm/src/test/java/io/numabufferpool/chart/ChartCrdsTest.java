package io.numabufferpool.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kinds in the chart are those that module crds renders, and an uninstalled release leaves them. */
final class ChartCrdsTest {
    private static final Path RENDERED = Path.of("../crds");
    private static final Path COPIES = Chart.folder().resolve("files/crds");

    static List<Path> rendered() throws IOException {
        try (Stream<Path> files = Files.list(RENDERED)) {
            return files.filter(file -> file.toString().endsWith("-v1.yaml"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("rendered")
    void theChartHasACopyOfEachKind(Path file) {
        Golden.assertSame(COPIES.resolve(file.getFileName()), Golden.read(file));
    }

    @Test
    void theChartHasNoOtherKind() throws IOException {
        try (Stream<Path> copies = Files.list(COPIES)) {
            assertThat(copies.map(Path::getFileName))
                    .containsExactlyInAnyOrderElementsOf(
                            rendered().stream().map(Path::getFileName).toList());
        }
    }

    @ParameterizedTest
    @MethodSource("rendered")
    void theReleaseHoldsTheKindUnchangedAndKeepsItWhenUninstalled(Path file) {
        var wanted = Chart.objects(Golden.read(file)).getFirst();

        var released = Chart.objects().stream()
                .filter(object -> object.getMetadata()
                        .getName()
                        .equals(wanted.getMetadata().getName()))
                .findFirst()
                .orElseThrow();

        Object spec = released.get("spec");
        assertThat(spec).isEqualTo(wanted.get("spec"));
        assertThat(released.getMetadata().getAnnotations()).containsEntry("helm.sh/resource-policy", "keep");
    }
}
