package io.numabufferpool.operator.report;

import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.NumaPlacementDecision;
import io.numabufferpool.crds.PlacementMapping;
import io.numabufferpool.crds.PlacementReport;
import io.numabufferpool.placement.PlacementDecision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether a report's content can be worked with: everything that JSON leaves open, before anything relies on it. */
final class ReportChecks {
    /** The kernel's own limit (MAX_NUMNODES on x86-64 and arm64). */
    private static final int NUMA_NODES_MAX = 1024;

    /** As many conditions as there are types, with room for a newer sidecar's. */
    private static final int CONDITIONS_MAX = 32;

    /** A condition's message as the API conventions bound it. */
    private static final int MESSAGE_CHARS_MAX = 32_768;

    private ReportChecks() {}

    /** The same report; throws {@link ReportRefused} with the first field that is missing or impossible. */
    static PlacementReport checked(PlacementReport report) {
        need("pool", report.pool());
        need("pool.name", report.pool().name());
        need("pod", report.pod());
        need("pod.namespace", report.pod().namespace());
        need("pod.name", report.pod().name());
        need("pod.uid", report.pod().uid());
        need("status", report.status());
        need("status.phase", report.status().phase());
        if (report.sequence() < 1) {
            throw malformed("sequence is " + report.sequence() + ", reports count from 1");
        }
        checkDecision(report.decision());
        checkObservation(report);
        checkUsage(report.status().numaNodes());
        var conditions = report.status().conditions();
        if (conditions.size() > CONDITIONS_MAX) {
            throw malformed("status.conditions has " + conditions.size() + " entries, at most " + CONDITIONS_MAX);
        }
        conditions.forEach(condition -> {
            need("status.conditions[].type", condition.type());
            need("status.conditions[].status", condition.status());
            need("status.conditions[].reason", condition.reason());
            need("status.conditions[].message", condition.message());
            need("status.conditions[].lastTransitionTime", condition.lastTransitionTime());
            if (condition.message().length() > MESSAGE_CHARS_MAX) {
                throw malformed("the message of condition " + condition.type() + " is longer than " + MESSAGE_CHARS_MAX
                        + " characters");
            }
        });
        return report;
    }

    /** The decision of a segment that exists is written as it is told, so it has to be whole. */
    private static void checkDecision(@Nullable NumaPlacementDecision decision) {
        if (decision != null) {
            need("decision.policy", decision.policy());
            need("decision.method", decision.method());
            need("decision.numaNodes", decision.numaNodes());
            need("decision.why", decision.why());
            need("decision.decidedBy", decision.decidedBy());
        }
    }

    private static void checkObservation(PlacementReport report) {
        var observation = report.status().observation();
        if (observation == null) {
            // A sidecar that could not even look around still says so.
            return;
        }
        need("status.observation.memsAllowed", observation.memsAllowed());
        need("status.observation.cpusAllowed", observation.cpusAllowed());
        need("status.observation.kernelRelease", observation.kernelRelease());
        if (observation.numaNodes().size() > NUMA_NODES_MAX) {
            throw malformed("status.observation.numaNodes has "
                    + observation.numaNodes().size() + " entries, Linux knows at most " + NUMA_NODES_MAX);
        }
        try {
            PlacementMapping.toObservation(observation);
        } catch (IllegalArgumentException unreadable) {
            throw malformed("status.observation: " + unreadable.getMessage());
        }
    }

    private static void checkUsage(List<NumaNodeUsage> usages) {
        if (usages.size() > NUMA_NODES_MAX) {
            throw malformed(
                    "status.numaNodes has " + usages.size() + " entries, Linux knows at most " + NUMA_NODES_MAX);
        }
        for (var usage : usages) {
            boolean impossible = usage.numaNode() < PlacementDecision.NO_SINGLE_NODE
                    || usage.numaNode() >= NUMA_NODES_MAX
                    || usage.wantedBytes() < 0
                    || usage.placedBytes() < 0
                    || usage.spilledBytes() < 0
                    || usage.hugeBytes() < 0
                    || usage.hits() < 0
                    || usage.misses() < 0
                    || usage.evictions() < 0;
            if (impossible) {
                throw malformed(
                        "status.numaNodes of node " + usage.numaNode() + " has a negative or impossible number");
            }
        }
    }

    private static void need(String field, @Nullable Object value) {
        if (value == null) {
            throw malformed(field + " is missing");
        }
    }

    private static ReportRefused malformed(String what) {
        return new ReportRefused(ReportRefused.MALFORMED, "The report is no PlacementReport: " + what + ".");
    }
}
