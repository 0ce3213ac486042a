package io.numabufferpool.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numabufferpool.operator.certificate.CertificateKeeper;
import io.numabufferpool.operator.certificate.PresentedCertificate;
import io.numabufferpool.operator.report.MovableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The Secret with the certificates between replicas, through renewals, edits and deletion. */
@Tag("apiserver")
@ExtendWith(ApiServerLane.class)
final class CertificateKeeperIT {
    private static final List<String> NAMES = List.of("operator.svc");

    private static KubernetesClient admin;

    private final MovableClock clock = new MovableClock(Instant.parse("2026-12-01T00:00:00Z"));

    @BeforeAll
    static void connect() {
        admin = ApiServerLane.admin();
    }

    @AfterAll
    static void disconnect() {
        if (admin != null) {
            admin.close();
        }
    }

    @Test
    void replicasThatStartTogetherAgreeOnOneAuthority() throws Exception {
        namespace("keeper-start");
        var replicas = Stream.generate(() -> keeper("keeper-start")).limit(6).toList();

        try (var threads = Executors.newFixedThreadPool(6)) {
            var starts = replicas.stream()
                    .map(replica -> (Callable<Object>) () -> {
                        replica.refresh();
                        return replica;
                    })
                    .toList();
            for (var start : threads.invokeAll(starts)) {
                start.get();
            }
        }

        assertThat(replicas.stream()
                        .map(replica -> replica.trustedPem().orElseThrow())
                        .distinct())
                .hasSize(1);
    }

    @Test
    void aRenewalByOneReplicaReachesTheOther() {
        namespace("keeper-renewal");
        var first = keeper("keeper-renewal");
        var second = keeper("keeper-renewal");
        first.refresh();
        second.refresh();
        var presented = new ArrayList<PresentedCertificate>();
        second.onServingChange(presented::add);

        clock.pass(Duration.ofDays(61));
        first.refresh();
        second.refresh();
        second.refresh();

        assertThat(presented).hasSize(2).doesNotHaveDuplicates();
        assertThat(second.trustedPem()).isEqualTo(first.trustedPem());
    }

    @Test
    void aNewAuthorityIsAnnouncedToBothReplicas() {
        namespace("keeper-authority");
        var first = keeper("keeper-authority");
        var second = keeper("keeper-authority");
        first.refresh();
        second.refresh();
        var changes = new ArrayList<String>();
        second.onBundleChange(() -> changes.add(second.trustedPem().orElseThrow()));

        clock.pass(Duration.ofDays(551));
        first.refresh();
        second.refresh();

        assertThat(changes).hasSize(1);
        assertThat(changes.getFirst().split("BEGIN CERTIFICATE", -1)).hasSize(3);
    }

    @Test
    void aDeletedSecretComesBackWithTheSameAuthority() {
        namespace("keeper-deleted");
        var keeper = keeper("keeper-deleted");
        keeper.refresh();
        var before = keeper.trustedPem();
        admin.secrets()
                .inNamespace("keeper-deleted")
                .withName("numa-buffer-pool-operator-tls")
                .delete();

        keeper.refresh();

        assertThat(keeper.trustedPem()).isEqualTo(before);
        var restarted = keeper("keeper-deleted");
        restarted.refresh();
        assertThat(restarted.trustedPem()).isEqualTo(before);
    }

    @Test
    void aSecretThatSomebodyFilledWithSomethingElseIsWrittenAgain() {
        namespace("keeper-foreign");
        admin.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withNamespace("keeper-foreign")
                        .withName("numa-buffer-pool-operator-tls")
                        .endMetadata()
                        .withType("kubernetes.io/tls")
                        .withStringData(Map.of("tls.crt", "mine", "tls.key", "mine"))
                        .build())
                .create();
        var keeper = keeper("keeper-foreign");

        keeper.refresh();

        assertThat(keeper.trustedPem())
                .hasValueSatisfying(pem -> assertThat(pem).contains("BEGIN CERTIFICATE"));
    }

    private CertificateKeeper keeper(String namespace) {
        return new CertificateKeeper(admin, namespace, NAMES, clock);
    }

    private static void namespace(String name) {
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .serverSideApply();
    }
}
