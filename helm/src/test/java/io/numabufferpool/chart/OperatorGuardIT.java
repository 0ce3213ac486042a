package io.numabufferpool.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What the operator's account cannot do even if its roles let it. The tests give it every right, so that the refusals are
 * the guard's and not RBAC's.
 */
@Tag("apiserver")
@ExtendWith(ApiServer.Parameter.class)
final class OperatorGuardIT {
    private static final String NAMESPACE = "guarded";
    private static final String ALL_RIGHTS = "every-right-for-a-test";

    private static KubernetesClient operator;

    @BeforeAll
    static void giveTheOperatorEveryRight(ApiServer server) {
        server.newNamespace(NAMESPACE);
        server.client()
                .rbac()
                .clusterRoleBindings()
                .resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName(ALL_RIGHTS)
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                        .addNewSubject(null, "ServiceAccount", "numa-buffer-pool-operator", Chart.NAMESPACE)
                        .build())
                .create();
        operator = server.asOperator();
    }

    @AfterAll
    static void takeTheRightsBack(ApiServer server) {
        operator.close();
        server.client().rbac().clusterRoleBindings().withName(ALL_RIGHTS).delete();
    }

    @Test
    void itsConfigMapIsWrittenInEveryNamespaceAndNoOther(ApiServer server) {
        operator.resource(configMap("numa-buffer-pool-ca")).create();

        assertThat(server.client()
                        .configMaps()
                        .inNamespace(NAMESPACE)
                        .withName("numa-buffer-pool-ca")
                        .get())
                .isNotNull();
        assertThatThrownBy(() -> operator.resource(configMap("settings")).create())
                .hasMessageContaining(
                        "the account of the NumaBufferPool operator writes only ConfigMaps named numa-buffer-pool-ca, not"
                                + " \"settings\".");
    }

    @Test
    void aConfigMapOfAUserIsNeitherChangedNorDeleted(ApiServer server) {
        server.client().resource(configMap("of-a-user")).create();

        assertThatThrownBy(() -> operator.configMaps()
                        .inNamespace(NAMESPACE)
                        .withName("of-a-user")
                        .edit(map ->
                                new ConfigMapBuilder(map).addToData("a", "b").build()))
                .hasMessageContaining("writes only ConfigMaps named numa-buffer-pool-ca");
        assertThatThrownBy(() -> operator.configMaps()
                        .inNamespace(NAMESPACE)
                        .withName("of-a-user")
                        .delete())
                .hasMessageContaining("writes only ConfigMaps named numa-buffer-pool-ca");
    }

    @Test
    void itsSecretIsWrittenInItsOwnNamespaceAndNoOther() {
        var own = operator.resource(secret(Chart.NAMESPACE, "numa-buffer-pool-operator-tls"))
                .create();

        assertThat(own.getMetadata().getUid()).isNotNull();
        assertThatThrownBy(() ->
                        operator.resource(secret(Chart.NAMESPACE, "other")).create())
                .hasMessageContaining(
                        "writes only the Secret numa-buffer-pool-operator-tls of namespace numa-buffer-pool")
                .hasMessageContaining("not \"other\" of namespace numa-buffer-pool.");
        assertThatThrownBy(() -> operator.resource(secret(NAMESPACE, "numa-buffer-pool-operator-tls"))
                        .create())
                .hasMessageContaining("not \"numa-buffer-pool-operator-tls\" of namespace guarded.");
    }

    private static ConfigMap configMap(String name) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName(name)
                .endMetadata()
                .withData(Map.of("ca.crt", "none"))
                .build();
    }

    private static Secret secret(String namespace, String name) {
        return new SecretBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .build();
    }
}
