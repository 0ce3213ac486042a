package io.numabufferpool.operator.report;

import io.numabufferpool.crds.Condition;
import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.NumaPlacement;
import io.numabufferpool.crds.NumaPlacementSpec;
import io.numabufferpool.crds.NumaPlacementStatus;
import io.numabufferpool.crds.ObservationStatus;
import io.numabufferpool.crds.SidecarStatus;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How much a placement differs from what was written last. It decides when it is written again. */
enum PlacementChange {
    /** Nothing that a person could see. */
    NONE,
    /** Counters, free memory: it can wait. */
    NUMBERS,
    /** Phase, decision, conditions, where bytes lie, another sidecar process, a dead client: written at once. */
    STATE;

    /** Compares everything but sequence and time of the report. */
    static PlacementChange between(@Nullable NumaPlacement written, NumaPlacement wanted) {
        if (written == null
                || written.getStatus() == null
                || !Objects.equals(written.getSpec(), wanted.getSpec())
                || !isSameMetadata(written, wanted)
                || !State.of(written).equals(State.of(wanted))) {
            return STATE;
        }
        return Numbers.of(written).equals(Numbers.of(wanted)) ? NONE : NUMBERS;
    }

    private static boolean isSameMetadata(NumaPlacement written, NumaPlacement wanted) {
        var labels = written.getMetadata().getLabels() == null
                ? Map.<String, String>of()
                : written.getMetadata().getLabels();
        return labels.entrySet().containsAll(wanted.getMetadata().getLabels().entrySet())
                && written.getMetadata()
                        .getOwnerReferences()
                        .equals(wanted.getMetadata().getOwnerReferences());
    }

    private record Placed(int numaNode, long wantedBytes, long placedBytes, long spilledBytes, long hugeBytes) {
        static Placed of(NumaNodeUsage usage) {
            return new Placed(
                    usage.numaNode(),
                    usage.wantedBytes(),
                    usage.placedBytes(),
                    usage.spilledBytes(),
                    usage.hugeBytes());
        }
    }

    private record State(
            @Nullable NumaPlacementSpec spec,
            Object phase,
            @Nullable Object method,
            @Nullable Object decidedBy,
            @Nullable String generation,
            @Nullable SidecarStatus sidecar,
            List<Placed> placed,
            Map<String, String> conditions,
            @Nullable String memsAllowed,
            @Nullable String cpusAllowed) {
        static State of(NumaPlacement placement) {
            var status = placement.getStatus();
            var observation = status.observation();
            return new State(
                    placement.getSpec(),
                    status.phase(),
                    status.method(),
                    status.decidedBy(),
                    status.generation(),
                    status.sidecar(),
                    status.numaNodes().stream().map(Placed::of).toList(),
                    conditions(status),
                    observation == null ? null : observation.memsAllowed(),
                    observation == null ? null : observation.cpusAllowed());
        }

        /** Without messages: they may hold a count that moves, and then can wait. */
        private static Map<String, String> conditions(NumaPlacementStatus status) {
            var conditions = new TreeMap<String, String>();
            for (Condition condition : status.conditions()) {
                conditions.put(condition.type(), condition.status() + " " + condition.reason());
            }
            return conditions;
        }
    }

    private record Numbers(
            List<NumaNodeUsage> numaNodes,
            List<?> partitions,
            @Nullable String placed,
            List<Condition> conditions,
            @Nullable ObservationStatus observation) {
        static Numbers of(NumaPlacement placement) {
            var status = placement.getStatus();
            return new Numbers(
                    status.numaNodes(),
                    status.partitions(),
                    status.placed(),
                    status.conditions(),
                    status.observation());
        }
    }
}
