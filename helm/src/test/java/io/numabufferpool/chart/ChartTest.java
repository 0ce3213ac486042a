package io.numabufferpool.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What Helm makes of the chart. */
final class ChartTest {
    @Test
    void lintFindsNothing() {
        var lint = Chart.lint();

        assertThat(lint.isFailed()).as("%s", lint.getMessages()).isFalse();
        assertThat(lint.getMessages()).noneMatch(line -> line.contains("[WARNING]") || line.contains("[ERROR]"));
    }

    static List<Path> renders() {
        return Golden.cases("renders");
    }

    /** The kinds are left out: ChartCrdsTest compares them with the files that module crds renders. */
    @ParameterizedTest
    @MethodSource("renders")
    void rendersAsTheGoldenSays(Path render) {
        var manifests = Chart.documents(Chart.render(render.resolve("values.yaml"))).stream()
                .filter(document -> !document.contains("kind: CustomResourceDefinition"))
                .toList();

        Golden.assertSame(render.resolve("manifests.yaml"), String.join("\n---\n", manifests) + "\n");
    }

    @Test
    void anApiServerWithoutThePolicyIsRefusedWithTheVersionsItNeeds() {
        assertThatThrownBy(() -> Chart.renderFor("1.33.13"))
                .hasMessageContaining("MutatingAdmissionPolicy of admissionregistration.k8s.io/v1")
                .hasMessageContaining("this API server (v1.33.13) does not")
                .hasMessageContaining("Use a cluster of 1.36 or later");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            sidecar.cpu.guaranteed      | half        | guaranteed
            sidecar.cpu.request         | 1Gi         | request
            sidecar.image.pullPolicy    | Sometimes   | pullPolicy
            sidecar.image.tag           | 'a b'       | tag
            sidecar.image.repository    | 'Not/Valid' | repository
            sidecar.memory              | 1Gi         | memory
            operator.replicas           | two         | replicas
            operator.replicas           | 9           | replicas
            operator.image.registry     | local       | registry
            resources                   | none        | resources
            """)
    void aValueThatNobodyReadsOrThatCannotBeIsRefusedByName(String key, String value, String named) {
        assertThatThrownBy(() -> Chart.renderWith(key, value))
                .hasMessageContaining("values don't meet the specifications of the schema")
                .hasMessageContaining(named);
    }
}
