package io.numabufferpool.operator.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.numabufferpool.crds.NumaBufferPool;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.PlacementAnswer;
import io.numabufferpool.crds.PlacementReport;
import io.numabufferpool.operator.cluster.ClusterView;
import io.numabufferpool.operator.cluster.Labels;
import java.time.Clock;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Takes one report from its token and body to the answer: authenticate, check, choose, write, answer. Any replica may do it;
 * none has to be the leader. Thread-safe: reports of one pod are taken one after the other.
 */
public final class ReportDesk implements BiFunction<String, String, ReportResponse> {
    /** A sidecar reports every 10 s and on every change; starting up brings some in a row. */
    private static final int REPORTS_BURST = 30;

    private static final double REPORTS_PER_SECOND = 1;

    /** As many pods as tokens are remembered. */
    private static final int PODS_MAX = 20_000;

    /** Enough that two pods seldom wait for each other. */
    private static final int LOCKS = 64;

    private static final Logger LOG = Logger.getLogger(ReportDesk.class);

    private final SenderTokens tokens;
    private final ClusterView cluster;
    private final PlacementWriter writer;
    private final PlacementEvents events;
    private final Clock clock;
    private final ObjectMapper json = new ObjectMapper()
            .configure(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, true)
            .configure(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES, false);
    private final BoundedCache<String, TokenBucket> rates = new BoundedCache<>(PODS_MAX);
    private final Object[] locks = new Object[LOCKS];

    ReportDesk(SenderTokens tokens, ClusterView cluster, PlacementWriter writer, PlacementEvents events, Clock clock) {
        this.tokens = tokens;
        this.cluster = cluster;
        this.writer = writer;
        this.events = events;
        this.clock = clock;
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
    }

    /** The answer to a report, as it goes over the wire. */
    @Override
    public ReportResponse apply(String token, String body) {
        try {
            var sender = tokens.identify(token);
            checkRate(sender);
            var answer = take(sender, ReportChecks.checked(parse(body)));
            return new ReportResponse(200, json.writeValueAsString(answer));
        } catch (ReportRefused refused) {
            LOG.debugv("report refused: status={0} message={1}", refused.status(), refused.getMessage());
            return new ReportResponse(refused.status(), ErrorBody.render(String.valueOf(refused.getMessage())));
        } catch (JsonProcessingException bug) {
            throw new IllegalStateException("an answer cannot be written as JSON", bug);
        }
    }

    private void checkRate(Sender sender) {
        var bucket = rates.computeIfAbsent(
                sender.podUid(), absent -> new TokenBucket(REPORTS_BURST, REPORTS_PER_SECOND, clock));
        if (!bucket.tryTake()) {
            throw new ReportRefused(
                    ReportRefused.TOO_MANY,
                    "Pod " + sender + " sends more than " + (int) REPORTS_PER_SECOND + " report a second; send changes"
                            + " together.");
        }
    }

    private PlacementReport parse(String body) {
        try {
            var report = json.readValue(body, PlacementReport.class);
            if (report == null) {
                throw new ReportRefused(ReportRefused.MALFORMED, "The report is null; send a PlacementReport.");
            }
            return report;
        } catch (JsonProcessingException malformed) {
            throw new ReportRefused(
                    ReportRefused.MALFORMED,
                    "The report is no PlacementReport: "
                            + malformed.getOriginalMessage().lines().findFirst().orElse("") + place(malformed) + ".");
        }
    }

    private static String place(JsonProcessingException malformed) {
        var location = malformed.getLocation();
        return location == null ? "" : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
    }

    private PlacementAnswer take(Sender sender, PlacementReport report) {
        checkSpeaksForItself(sender, report);
        var namespace = sender.namespace();
        var pool = cluster.findPool(namespace, report.pool().name())
                .orElseThrow(() -> new ReportRefused(
                        ReportRefused.NO_SUCH_POOL,
                        "There is no NumaBufferPool " + namespace + "/"
                                + report.pool().name()
                                + "; the pod keeps what it has, create the pool again to see its status."));
        var pod = checkPod(sender, pool);
        synchronized (locks[Math.floorMod(sender.podUid().hashCode(), LOCKS)]) {
            var stored = cluster.findPlacement(namespace, sender.podName()).orElse(null);
            var before =
                    ofThisPod(writer.findWanted(namespace, sender.podName()).orElse(stored), sender);
            checkOrder(sender, report, before);
            var answer = PlacementChoice.choose(pool, report, before);
            var placement = PlacementRecord.render(pool, pod, report, answer, before, clock.instant());
            var change = writer.offer(placement, stored);
            if (change == PlacementChange.STATE) {
                events.record(pool, pod, before, placement);
            }
            return PlacementChoice.withPoolNow(answer, pool, report);
        }
    }

    private static void checkSpeaksForItself(Sender sender, PlacementReport report) {
        var pod = report.pod();
        boolean same = pod.namespace().equals(sender.namespace())
                && pod.name().equals(sender.podName())
                && pod.uid().equals(sender.podUid());
        if (!same) {
            throw new ReportRefused(
                    ReportRefused.FORBIDDEN,
                    "The token belongs to pod " + sender + " (uid " + sender.podUid() + "), the report speaks of pod "
                            + pod.namespace() + "/" + pod.name() + " (uid " + pod.uid()
                            + "); a sidecar reports for its own pod only.");
        }
    }

    private Pod checkPod(Sender sender, NumaBufferPool pool) {
        var pod = cluster.findPod(sender.namespace(), sender.podName())
                .filter(found -> isSender(found, sender))
                .or(() ->
                        cluster.readPod(sender.namespace(), sender.podName()).filter(found -> isSender(found, sender)))
                .orElseThrow(() -> new ReportRefused(
                        ReportRefused.FORBIDDEN,
                        "Pod " + sender + " with uid " + sender.podUid()
                                + " is gone or was replaced; its reports end here."));
        var labels = pod.getMetadata().getLabels();
        var label = labels == null ? null : labels.get(Labels.POOL);
        if (!pool.getMetadata().getName().equals(label)) {
            throw new ReportRefused(
                    ReportRefused.FORBIDDEN,
                    "Pod " + sender + " carries "
                            + (label == null ? "no label " + Labels.POOL : "label " + Labels.POOL + ": " + label)
                            + ", its sidecar was injected for pool "
                            + pool.getMetadata().getName()
                            + "; restore the label or recreate the pod.");
        }
        return pod;
    }

    private static boolean isSender(Pod pod, Sender sender) {
        return pod.getMetadata().getUid().equals(sender.podUid());
    }

    private static @Nullable NumaPlacement ofThisPod(@Nullable NumaPlacement placement, Sender sender) {
        boolean mine = placement != null
                && placement.getSpec() != null
                && placement.getSpec().pod().uid().equals(sender.podUid());
        return mine ? placement : null;
    }

    private static void checkOrder(Sender sender, PlacementReport report, @Nullable NumaPlacement before) {
        if (before == null || before.getStatus() == null) {
            return;
        }
        var last = before.getStatus();
        boolean old = report.sequence() <= last.sequence();
        if (old) {
            throw new ReportRefused(
                    ReportRefused.STALE,
                    "Report " + report.sequence() + " of pod " + sender + " is not newer than report " + last.sequence()
                            + ", which was taken already (segment generation now "
                            + Objects.requireNonNullElse(last.generation(), "none") + ").");
        }
    }
}
