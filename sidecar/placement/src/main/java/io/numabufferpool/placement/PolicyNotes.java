package io.numabufferpool.placement;

import java.util.List;
import java.util.StringJoiner;

/** What a policy did to the shares, in a sentence for {@code why}: which weights counted, which nodes were not needed. */
final class PolicyNotes {
    /** So many weights are shown; more would be a table. */
    private static final int WEIGHTS_SHOWN_MAX = 16;

    private final PlacementRequest request;
    private final Observation observation;
    private final NumaNodeSet chosen;

    /** {@code chosen}: the node set before the policy spread anything over it. */
    PolicyNotes(PlacementRequest request, Observation observation, NumaNodeSet chosen) {
        this.request = request;
        this.observation = observation;
        this.chosen = chosen;
    }

    /** Sentences, or none; {@code used}: the nodes that hold something. */
    List<String> of(NumaNodeSet used) {
        return switch (request.policy()) {
            case WeightedInterleave -> List.of(weights());
            case Bind, Preferred -> filled(used);
            case Partitioned, Interleave, None -> List.of();
        };
    }

    private String weights() {
        int[] nodes = chosen.stream().toArray();
        var shares = new Shares(request);
        return switch (shares.weightSource(nodes, observation.topology())) {
            case SPEC -> shown(shares.weights(nodes, observation.topology())) + " by spec.placement.weights.";
            case KERNEL ->
                shown(shares.weights(nodes, observation.topology())) + " by the kernel"
                        + " (/sys/kernel/mm/mempolicy/weighted_interleave).";
            case EQUAL ->
                "Equal weights: Linux " + observation.kernelRelease()
                        + " shows none (6.9 does), and spec.placement.weights is absent.";
        };
    }

    private static String shown(int[] weights) {
        var text = new StringJoiner(":");
        for (int i = 0; i < Math.min(weights.length, WEIGHTS_SHOWN_MAX); i++) {
            text.add(Integer.toString(weights[i]));
        }
        return "Weights " + text + (weights.length > WEIGHTS_SHOWN_MAX ? ":..." : "");
    }

    private List<String> filled(NumaNodeSet used) {
        var unused = chosen.minus(used);
        if (chosen.size() == 1) {
            return List.of();
        }
        var order = request.policy() + " fills nodes " + chosen + " from the lowest";
        return List.of(unused.isEmpty() ? order + "." : order + "; nothing was left for " + unused + ".");
    }
}
