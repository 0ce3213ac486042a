package io.numabufferpool.server.adopt;

import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementPolicy;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A decision as the environment variables that libnumapool_adopt.so reads. Pure. */
public final class AdoptEnvironment {
    static final String PRELOAD = "LD_PRELOAD";
    private static final String PREFIX = "NUMAPOOL_ADOPT_";

    /** The library's sets of nodes have so many bits. */
    private static final int NODE_NUMBER_MAX = 255;

    private AdoptEnvironment() {}

    /**
     * What to add to a program's environment.
     *
     * @param preloaded the LD_PRELOAD that it has already, which stays in front
     * @param reports the folder for reports
     * @throws IllegalArgumentException for a node number that the library cannot hold
     */
    public static Map<String, String> of(
            AdoptRequest request,
            PlacementDecision decision,
            Observation observation,
            Path library,
            @Nullable String preloaded,
            Path reports) {
        var nodes = decision.numaNodes().isEmpty() ? observation.memsAllowed() : decision.numaNodes();
        check(nodes);
        var variables = new LinkedHashMap<String, String>();
        boolean alone = preloaded == null || preloaded.isBlank();
        variables.put(PRELOAD, alone ? library.toString() : preloaded + ":" + library);
        variables.put(PREFIX + "NODES", nodes.toString());
        variables.put(PREFIX + "POLICY", request.policy().name());
        if (request.policy() == PlacementPolicy.WeightedInterleave) {
            variables.put(
                    PREFIX + "WEIGHTS",
                    request.weightsOf(decision, observation).entrySet().stream()
                            .map(weight -> weight.getKey() + "=" + weight.getValue())
                            .collect(Collectors.joining(",")));
        }
        variables.put(PREFIX + "MIN_SIZE", Long.toString(request.minBytes()));
        variables.put(
                PREFIX + "KINDS",
                request.kinds().stream().sorted().map(Enum::name).collect(Collectors.joining(",")));
        variables.put(PREFIX + "HUGE_PAGES", request.hugePages().name());
        variables.put(PREFIX + "BIND_CPUS", Boolean.toString(request.nodes().bindCpus()));
        variables.put(PREFIX + "REPORT_DIR", reports.toString());
        return variables;
    }

    private static void check(NumaNodeSet nodes) {
        int last = nodes.stream().max().orElse(0);
        if (last > NODE_NUMBER_MAX) {
            throw new IllegalArgumentException(
                    "NUMA node " + last + " cannot be used for unmodified programs, whose library"
                            + " knows numbers up to " + NODE_NUMBER_MAX + "; leave it out by --nodes.");
        }
    }
}
