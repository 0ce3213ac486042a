package io.numabufferpool.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
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

    /** Kubernetes -> the object that injects, and the one that does not. */
    @ParameterizedTest
    @CsvSource({
        "1.33.13, MutatingWebhookConfiguration, MutatingAdmissionPolicy",
        "1.36.0, MutatingAdmissionPolicy, MutatingWebhookConfiguration"
    })
    void theApiServerDecidesWhoInjects(String kubeVersion, String wanted, String other) {
        var kinds = Chart.objects(Chart.renderFor(kubeVersion)).stream()
                .map(GenericKubernetesResource::getKind)
                .toList();

        assertThat(kinds).contains(wanted).doesNotContain(other);
    }

    /** An alert on a metric that nobody exports never fires. */
    @Test
    void everyMetricOfAnAlertIsExported() {
        var exported = Golden.read(
                        Path.of("../sidecar/server/src/main/java/io/numabufferpool/server/report/PoolMetrics.java"))
                + Golden.read(Path.of("../operator/src/main/java/io/numabufferpool/operator/report/ReportMetrics.java"))
                        .replace("numapool.", "")
                        .replace('.', '_');
        var alerts = Chart.renderWith("monitoring.enabled", true);

        var metrics = Pattern.compile("\\bnumapool_([a-z_]+)")
                .matcher(alerts)
                .results()
                .map(match -> match.group(1).replaceFirst("_total$", ""))
                .distinct()
                .toList();

        assertThat(metrics)
                .hasSizeGreaterThan(3)
                .allSatisfy(metric -> assertThat(exported).contains("\"" + metric + "\""));
    }

    @Test
    void aPolicyThatTheApiServerDoesNotHaveIsRefusedWithTheVersionsItNeeds() {
        assertThatThrownBy(() -> Chart.renderFor("1.33.13", "injection.mechanism", "Policy"))
                .hasMessageContaining("injection.mechanism is Policy")
                .hasMessageContaining("this API server (v1.33.13)")
                .hasMessageContaining("Use Auto or Webhook");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            injection.mechanism         | Sidecar     | mechanism
            sidecar.cpu.guaranteed      | half        | guaranteed
            sidecar.cpu.request         | 1Gi         | request
            sidecar.image.pullPolicy    | Sometimes   | pullPolicy
            sidecar.image.tag           | 'a b'       | tag
            sidecar.image.repository    | 'Not/Valid' | repository
            sidecar.memory              | 1Gi         | memory
            monitoring.interval         | soon        | interval
            networkPolicy.apiServerPort | 0           | apiServerPort
            userRoles.create            | maybe       | create
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
