package io.numabufferpool.chart;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The chart as Helm sees it: the real Helm library, in this process, without a cluster. */
public final class Chart {
    public static final String RELEASE = "numa-buffer-pool";
    public static final String NAMESPACE = "numa-buffer-pool";

    /** The oldest Kubernetes with the policy. */
    static final String KUBE_VERSION = "1.36.0";

    private Chart() {}

    public static Path folder() {
        return Path.of("numa-buffer-pool").toAbsolutePath();
    }

    static LintResult lint() {
        return new Helm(folder()).lint().strict().call();
    }

    /** Every manifest of a release, as {@code helm template} prints it. */
    static String render(Path valuesFile) {
        return template(KUBE_VERSION).withValuesFile(valuesFile).call();
    }

    static String renderWith(String key, Object value) {
        return template(KUBE_VERSION).set(key, value).call();
    }

    static String renderFor(String kubeVersion) {
        return template(kubeVersion).call();
    }

    static String renderFor(String kubeVersion, String key, Object value) {
        return template(kubeVersion).set(key, value).call();
    }

    private static com.marcnuri.helm.TemplateCommand template(String kubeVersion) {
        return new Helm(folder())
                .template()
                .withName(RELEASE)
                .withNamespace(NAMESPACE)
                .withKubeVersion(kubeVersion);
    }

    /** The objects of a release with the chart's own values. */
    static List<GenericKubernetesResource> objects() {
        return objects(renderFor(KUBE_VERSION));
    }

    static List<GenericKubernetesResource> objects(String manifests) {
        return documents(manifests).stream()
                .map(document -> Serialization.unmarshal(document, GenericKubernetesResource.class))
                .toList();
    }

    /** The YAML documents of a stream, without those that hold only comments. */
    static List<String> documents(String manifests) {
        return Arrays.stream(manifests.split("(?m)^---\\s*$"))
                .map(String::strip)
                .filter(document -> document.lines().anyMatch(line -> line.startsWith("kind:")))
                .toList();
    }
}
