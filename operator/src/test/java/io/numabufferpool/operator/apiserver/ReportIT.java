package io.numabufferpool.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.ConditionType;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacementDecision;
import io.numabufferpool.crds.Phase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reports from end to end: a token of the API server, TLS with the operator's own CA, a decision, a NumaPlacement. */
@Tag("apiserver")
@ExtendWith(ApiServerLane.class)
final class ReportIT {
    private static RunningOperator operator;
    private static Shop shop;
    private static NumaBufferPool pool;

    @BeforeAll
    static void start() {
        operator = RunningOperator.in("reports-operator");
        shop = new Shop("reports");
        pool = shop.createPool("orders", "64Mi");
    }

    @AfterAll
    static void stop() {
        if (operator != null) {
            operator.close();
            shop.close();
        }
    }

    @Test
    void aNewPodGetsADecisionAndItsPlacementIsWritten() {
        var pod = shop.createPod("fresh", pool);
        var sidecar = new SidecarOfTest(shop, pod, pool, operator);

        var answer = sidecar.answerTo(sidecar.asking("0-3"));

        assertThat(answer.problem()).isNull();
        assertThat(answer.decision().numaNodes()).isEqualTo("0-3");
        assertThat(answer.decision().shares())
                .extracting(NumaPlacementDecision.Share::bytes)
                .containsExactly(16L << 20, 16L << 20, 16L << 20, 16L << 20);
        var placement = shop.awaitPlacement("fresh", written -> true);
        assertThat(placement.getSpec().decision()).isEqualTo(answer.decision());
        assertThat(placement.getStatus().phase()).isEqualTo(Phase.Deciding);
        assertThat(placement.getMetadata().getLabels()).containsEntry("numabufferpool.io/pool", "orders");
        assertThat(placement.getMetadata().getOwnerReferences()).singleElement().satisfies(owner -> {
            assertThat(owner.getKind()).isEqualTo("Pod");
            assertThat(owner.getUid()).isEqualTo(pod.getMetadata().getUid());
        });
    }

    @Test
    void aDecisionStandsOnceASegmentLiesByItAndUntilThenFollowsWhatThePodMayUse() {
        var pod = shop.createPod("steady", pool);
        var sidecar = new SidecarOfTest(shop, pod, pool, operator);

        var first = sidecar.answerTo(sidecar.asking("0-3")).decision();
        var narrowed = sidecar.answerTo(sidecar.asking("1,3")).decision();
        var serving = sidecar.answerTo(sidecar.serving(narrowed, "0-3", 6)).decision();

        assertThat(first.numaNodes()).isEqualTo("0-3");
        assertThat(narrowed.numaNodes()).isEqualTo("1,3");
        assertThat(serving).isEqualTo(narrowed);
        shop.awaitPlacement("steady", placement -> placement.getStatus().phase() == Phase.Serving);
        var written = shop.placement("steady");
        assertThat(written.getSpec().decision()).isEqualTo(narrowed);
    }

    @Test
    void aDecisionInForceThatIsNotWholeIsRefused() {
        var pod = shop.createPod("half", pool);
        var sidecar = new SidecarOfTest(shop, pod, pool, operator);
        var decision = sidecar.answerTo(sidecar.asking("0-3")).decision();
        var whole = sidecar.body(sidecar.serving(decision, "0-3", 1));

        var response = sidecar.post(whole.replaceFirst("\"why\":\"[^\"]*\",", ""));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body())
                .isEqualTo("{\"message\":\"The report is no PlacementReport: decision.why is missing.\"}");
    }

    @Test
    void aProblemIsAnsweredAndStandsInThePlacement() {
        var refused = shop.createPool("""
                apiVersion: numabufferpool.io/v1alpha1
                kind: NumaBufferPool
                metadata: {name: elsewhere}
                spec: {size: 64Mi, placement: {nodes: "2"}}
                """);
        var pod = shop.createPod("refused", refused);
        var sidecar = new SidecarOfTest(shop, pod, refused, operator);

        var answer = sidecar.answerTo(sidecar.asking("0-1"));

        assertThat(answer.decision()).isNull();
        assertThat(answer.problem().reason()).isEqualTo("NumaNodeNotAllowed");
        var placement = shop.awaitPlacement("refused", written -> true);
        assertThat(Condition.find(placement.getStatus().conditions(), ConditionType.NodeSetResolved))
                .hasValueSatisfying(condition -> {
                    assertThat(condition.status()).isEqualTo("False");
                    assertThat(condition.reason()).isEqualTo("NumaNodeNotAllowed");
                    assertThat(condition.message()).isEqualTo(answer.problem().message());
                });
    }

    @Test
    void anotherAudienceIsRefused() {
        var pod = shop.createPod("audience", pool);
        var sidecar = new SidecarOfTest(shop, pod, pool, operator)
                .withToken(SidecarOfTest.token(shop, pod, "https://kubernetes.default.svc"));

        var response = sidecar.send(sidecar.asking("0-3"));

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(response.body())
                .isEqualTo(
                        "{\"message\":\"The token's audience is [https://kubernetes.default.svc], not numabufferpool.io;"
                                + " send the projected service account token made for it.\"}");
    }

    @Test
    void aForgedTokenIsRefusedInTheApiServersWords() {
        var pod = shop.createPod("forged", pool);
        var genuine = SidecarOfTest.token(shop, pod, "numabufferpool.io");
        var sidecar = new SidecarOfTest(shop, pod, pool, operator)
                .withToken(genuine.substring(0, genuine.length() - 6) + "AAAAAA");

        var response = sidecar.send(sidecar.asking("0-3"));

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(response.body()).contains("The API server does not accept the token: ");
    }

    @Test
    void anExpiredTokenIsRefusedAndTheSidecarToldToReadItAgain() throws Exception {
        var pod = shop.createPod("expired", pool);
        var genuine = SidecarOfTest.token(shop, pod, "numabufferpool.io");
        var sidecar = new SidecarOfTest(shop, pod, pool, operator)
                .withToken(SidecarOfTest.expired(genuine, ApiServerLane.tokenSigningKey()));

        var response = sidecar.send(sidecar.asking("0-3"));

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(response.body())
                .contains("The token expired at ")
                .contains("the kubelet renews the file, so read it again before each report.");
        assertThat(shop.placement("expired")).isNull();
    }

    @Test
    void aSidecarSpeaksForItsOwnPodOnly() {
        var victim = shop.createPod("victim", pool);
        var attacker = shop.createPod("attacker", pool);
        var sidecar = new SidecarOfTest(shop, victim, pool, operator)
                .withToken(SidecarOfTest.token(shop, attacker, "numabufferpool.io"));

        var response = sidecar.send(sidecar.asking("0-3"));

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body())
                .contains("The token belongs to pod reports/attacker")
                .contains("the report speaks of pod reports/victim")
                .contains("a sidecar reports for its own pod only.");
        assertThat(shop.placement("victim")).isNull();
    }

    @Test
    void aTokenOfADeletedPodIsRefused() {
        var pod = shop.createPod("deleted", pool);
        var sidecar = new SidecarOfTest(shop, pod, pool, operator);
        shop.admin().resource(pod).withGracePeriod(0).delete();

        var response = sidecar.send(sidecar.asking("0-3"));

        assertThat(response.statusCode()).isEqualTo(401);
    }

    @Test
    void aPoolThatIsNotThereIsNamed() {
        var gone = shop.createPool("gone", "64Mi");
        var pod = shop.createPod("orphan", gone);
        var sidecar = new SidecarOfTest(shop, pod, gone, operator);
        shop.awaitPool("gone", found -> true);
        shop.admin().resource(gone).delete();
        org.awaitility.Awaitility.await().until(() -> {
            var response = sidecar.send(sidecar.asking("0-3"));
            return response.statusCode() == 404;
        });

        var response = sidecar.send(sidecar.asking("0-3"));

        assertThat(response.body())
                .isEqualTo(
                        "{\"message\":\"There is no NumaBufferPool reports/gone; the pod keeps what it has, create the pool"
                                + " again to see its status.\"}");
    }

    @Test
    void anOldReportIsNotTakenAgain() {
        var pod = shop.createPod("replayed", pool);
        var sidecar = new SidecarOfTest(shop, pod, pool, operator);
        var first = sidecar.asking("0-3");
        sidecar.answerTo(first);

        var response = sidecar.send(first);

        assertThat(response.statusCode()).isEqualTo(409);
        assertThat(response.body()).contains("Report 1 of pod reports/replayed is not newer than report 1");
    }

    @Test
    void aPodThatAsksForAnotherPoolIsRefused() {
        var other = shop.createPool("other", "64Mi");
        var pod = shop.createPod("confused", pool);
        var sidecar = new SidecarOfTest(shop, pod, other, operator);

        var response = sidecar.send(sidecar.asking("0-3"));

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body())
                .contains(
                        "Pod reports/confused carries label numabufferpool.io/pool: orders, its sidecar was injected for pool"
                                + " other");
    }

    @Test
    void whatIsNoReportIsRefusedWithItsPlace() {
        var pod = shop.createPod("malformed", pool);
        var sidecar = new SidecarOfTest(shop, pod, pool, operator);

        assertThat(sidecar.post("{").statusCode()).isEqualTo(400);
        assertThat(sidecar.post("{\"sequence\": 1}").body())
                .isEqualTo("{\"message\":\"The report is no PlacementReport: pool is missing.\"}");
        assertThat(sidecar.post("null").statusCode()).isEqualTo(400);
        assertThat(sidecar.post("{\"sequence\": \"x\"}").body()).contains("line 1, column 14");
    }

    @Test
    void aBodyThatIsTooLargeIsRefused() {
        var pod = shop.createPod("large", pool);
        var sidecar = new SidecarOfTest(shop, pod, pool, operator);

        var response = sidecar.post(" ".repeat(300 * 1024));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).isEqualTo("{\"message\":\"The report is larger than 256 KiB.\"}");
    }

    @Test
    void aPodThatReportsAllTheTimeIsSlowedDown() {
        var pod = shop.createPod("chatty", pool);
        var sidecar = new SidecarOfTest(shop, pod, pool, operator);

        int refused = 0;
        for (int i = 0; i < 200 && refused == 0; i++) {
            if (sidecar.send(sidecar.asking("0-3")).statusCode() == 429) {
                refused++;
            }
        }

        assertThat(refused).isPositive();
    }

    @Test
    void anotherPathIsNamed() {
        var pod = shop.createPod("lost", pool);
        var sidecar = new SidecarOfTest(shop, pod, pool, operator);

        var response = sidecar.post("/v2/report", "{}");

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.body())
                .isEqualTo("{\"message\":\"There is nothing at /v2/report; reports go to POST /v1/report.\"}");
    }
}
