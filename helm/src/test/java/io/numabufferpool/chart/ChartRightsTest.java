package io.numabufferpool.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Least privilege: what the operator's account and its container may do. */
final class ChartRightsTest {
    private static final Set<String> ROLES = Set.of("Role", "ClusterRole");

    @Test
    void rolesEqualThoseThatTheOperatorIsTestedUnder() {
        var documented = Chart.objects(Golden.read(Path.of("../operator/docs/rbac.yaml")));
        var withWebhook = Chart.objects(Chart.renderWith("injection.mechanism", "Webhook"));

        for (var kind : ROLES) {
            assertThat(rules(withWebhook, kind)).as(kind).isEqualTo(rules(documented, kind));
        }
    }

    @Test
    void theWebhooksRoleIsThereOnlyWithTheWebhook() {
        assertThat(Chart.objects())
                .filteredOn(object -> ROLES.contains(object.getKind()) && isOfTheOperator(object))
                .extracting(object -> object.getMetadata().getName())
                .containsOnly("numa-buffer-pool-operator");
    }

    private static boolean isOfTheOperator(GenericKubernetesResource role) {
        return role.getMetadata().getName().startsWith("numa-buffer-pool-operator");
    }

    /** Whoever may change a namespace's Deployments may change its pools; what the operator writes is for reading. */
    @Test
    void usersRolesLetThemMakePoolsAndOnlyReadPlacements() {
        var roles = Chart.objects().stream()
                .filter(object -> object.getKind().equals("ClusterRole") && !isOfTheOperator(object))
                .toList();

        assertThat(roles)
                .extracting(role -> role.getMetadata().getName())
                .containsExactlyInAnyOrder("numa-buffer-pool-view", "numa-buffer-pool-edit");
        assertThat(roles)
                .allSatisfy(role -> assertThat(role.getMetadata().getLabels())
                        .containsEntry("rbac.authorization.k8s.io/aggregate-to-edit", "true"));
        assertThat(roles)
                .filteredOn(role -> Serialization.asYaml(role).contains("numaplacements"))
                .singleElement()
                .satisfies(role -> assertThat(Serialization.asYaml(role)).doesNotContain("update", "patch", "delete"));
    }

    private static Object rules(List<GenericKubernetesResource> objects, String kind) {
        return objects.stream()
                .filter(object -> object.getKind().equals(kind) && isOfTheOperator(object))
                .map(object -> object.getAdditionalProperties().get("rules"))
                .toList();
    }

    @Test
    void noRuleHasAWildcard() {
        var roles = Chart.objects().stream()
                .filter(object -> ROLES.contains(object.getKind()))
                .map(Serialization::asYaml)
                .toList();

        assertThat(roles).hasSize(4).noneMatch(yaml -> yaml.contains("*"));
    }

    @Test
    void theOperatorRunsUnderPodSecurityRestrictedWithAReadOnlyRoot() {
        var pod = operator().getSpec().getTemplate().getSpec();
        var container = pod.getContainers().getFirst();

        assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
        assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
        assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
        assertThat(container.getSecurityContext().getAllowPrivilegeEscalation()).isFalse();
        assertThat(container.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
    }

    @Test
    void serviceAndDeploymentMeetAtTheSameLabels() {
        var selector = one("Service", Service.class).getSpec().getSelector();

        assertThat(operator().getSpec().getTemplate().getMetadata().getLabels()).containsAllEntriesOf(selector);
        assertThat(operator().getSpec().getSelector().getMatchLabels()).isEqualTo(selector);
    }

    private static Deployment operator() {
        return one("Deployment", Deployment.class);
    }

    private static <T extends HasMetadata> T one(String kind, Class<T> type) {
        var object = Chart.objects().stream()
                .filter(candidate -> candidate.getKind().equals(kind))
                .findFirst()
                .orElseThrow();
        return Serialization.unmarshal(Serialization.asYaml(object), type);
    }
}
