package io.numabufferpool.chart;

import com.marcnuri.helm.Helm;
import io.fabric8.kubeapitest.KubeAPIServer;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One real API server with etcd for all tests that ask for it as a parameter, with the chart installed by Helm and its
 * policies active. It has no controllers and no nodes: pods are created with dry run, or stay pending. The admission
 * plugin ServiceAccount is off (kube-api-test does that), so pods name their account, and nothing mounts its token.
 */
final class ApiServer implements AutoCloseable {
    /** Policies become active 2 to 4 s after they are created; a busy machine takes longer. */
    private static final Duration ACTIVE_WITHIN = Duration.ofSeconds(30);

    private final KubeAPIServer server = new KubeAPIServer();
    private final KubernetesClient client;

    private ApiServer() {
        server.start();
        client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(server.getKubeConfigYaml()))
                .build();
        try {
            installChart();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void installChart() {
        new Helm(Chart.folder())
                .install()
                .withName(Chart.RELEASE)
                .withNamespace(Chart.NAMESPACE)
                .createNamespace()
                .withKubeConfigContents(server.getKubeConfigYaml())
                .call();
        awaitGuard();
    }

    /** Injection and guards are created together; the guard's refusal is what can be seen from outside. */
    private void awaitGuard() {
        var namespace = newNamespace("is-it-active");
        var pod = Serialization.unmarshal("""
                apiVersion: v1
                kind: Pod
                metadata: {name: probe, labels: {numabufferpool.io/pool: none}}
                spec:
                  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
                  containers:
                    - name: app
                      image: app
                      securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
                """, Pod.class);
        Awaitility.await("guard of labelled pods").atMost(ACTIVE_WITHIN).until(() -> refuses(namespace, pod));
    }

    private boolean refuses(String namespace, Pod pod) {
        try {
            client.pods().inNamespace(namespace).resource(pod).dryRun().create();
            return false;
        } catch (KubernetesClientException e) {
            if (!e.getMessage().contains("pod asks for NumaBufferPool")) {
                throw e;
            }
            return true;
        }
    }

    KubernetesClient client() {
        return client;
    }

    /** A client that speaks as the operator's account, under its roles. */
    KubernetesClient asOperator() {
        var config = Config.fromKubeconfig(server.getKubeConfigYaml());
        config.setImpersonateUsername("system:serviceaccount:" + Chart.NAMESPACE + ":numa-buffer-pool-operator");
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    /** Enforces Pod Security {@code restricted}. */
    String newNamespace(String name) {
        client.namespaces()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withLabels(Map.of("pod-security.kubernetes.io/enforce", "restricted"))
                        .endMetadata()
                        .build())
                .create();
        return name;
    }

    @Override
    public void close() {
        client.close();
        server.stop();
    }

    /** Starts the server at the first test that wants it; JUnit stops it after the last one. */
    static final class Parameter implements ParameterResolver {
        private static final String PROGRAMS = "KUBE_API_TEST_DIR";
        private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(ApiServer.class);

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext extension) {
            return parameter.getParameter().getType() == ApiServer.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext extension) {
            if (System.getenv(PROGRAMS) == null && !Boolean.getBoolean("numapool.lanes.required")) {
                Assumptions.abort("the API server lane needs the environment variable " + PROGRAMS
                        + ", which names the folder with k8s/VERSION-linux-amd64/{kube-apiserver,etcd}");
            }
            return extension
                    .getRoot()
                    .getStore(STORE)
                    .computeIfAbsent(Start.class, type -> Start.tried(), Start.class)
                    .server();
        }
    }

    /** Tried once: where the server or the chart does not come up, every test says why at once. */
    private record Start(
            @Nullable ApiServer started, @Nullable RuntimeException failure) implements AutoCloseable {
        static Start tried() {
            try {
                return new Start(new ApiServer(), null);
            } catch (RuntimeException e) {
                return new Start(null, e);
            }
        }

        ApiServer server() {
            if (started == null) {
                throw new IllegalStateException("no API server with the chart on it", failure);
            }
            return started;
        }

        @Override
        public void close() {
            if (started != null) {
                started.close();
            }
        }
    }
}
