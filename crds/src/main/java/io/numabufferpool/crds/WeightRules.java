package io.numabufferpool.crds;

import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.PlacementPolicy;
import io.numabufferpool.placement.PlacementRequest;
import java.util.Map;
import java.util.regex.Pattern;

/** The rules on {@code spec.placement.weights}. */
final class WeightRules {
    private static final Pattern NODE = Pattern.compile("[0-9]{1,4}");
    private static final String OUT_OF_RANGE = "spec.placement.weights: a weight is less than 1 or more than "
            + PlacementRequest.WEIGHT_MAX + "; use 1 to " + PlacementRequest.WEIGHT_MAX
            + ", and leave a node out by spec.placement.nodes.";

    private WeightRules() {}

    static SpecRule onlyWeightedInterleave() {
        return new SpecRule(
                "!has(self.placement.weights) || self.placement.policy == 'WeightedInterleave'",
                "'spec.placement.weights: have no effect under spec.placement.policy ' + self.placement.policy + '; remove them, or"
                        + " use policy WeightedInterleave.'",
                spec -> spec.placement().weights() == null
                                || spec.placement().policy() == PlacementPolicy.WeightedInterleave
                        ? null
                        : "spec.placement.weights: have no effect under spec.placement.policy "
                                + spec.placement().policy() + "; remove them, or use policy WeightedInterleave.");
    }

    static SpecRule inRange() {
        return SpecRule.of(
                "!has(self.placement.weights) || self.placement.weights.all(n, self.placement.weights[n] >= 1"
                        + " && self.placement.weights[n] <= " + PlacementRequest.WEIGHT_MAX + ")",
                OUT_OF_RANGE,
                spec -> weights(spec).values().stream()
                        .allMatch(weight -> weight != null && weight >= 1 && weight <= PlacementRequest.WEIGHT_MAX));
    }

    /** In Java only, as the next one: keys have no length that the API server could reckon with. */
    static SpecRule namesAreNodes() {
        return SpecRule.inJavaOnly(spec -> weights(spec).keySet().stream()
                .filter(name -> !NODE.matcher(name).matches())
                .findFirst()
                .map(name -> "spec.placement.weights: \"" + SpecRule.shown(name)
                        + "\" is not the number of a NUMA node; use a number such as \"0\".")
                .orElse(null));
    }

    static SpecRule nodesAreListed() {
        return SpecRule.inJavaOnly(spec -> {
            var nodes = spec.placement().nodes();
            if (!nodes.matches("[0-9,-]+")) {
                return null;
            }
            NumaNodeSet listed;
            try {
                listed = NumaNodeSet.parse(nodes);
            } catch (IllegalArgumentException malformed) {
                // Another rule's sentence.
                return null;
            }
            return weights(spec).keySet().stream()
                    .filter(name -> NODE.matcher(name).matches())
                    .filter(name -> !listed.contains(Integer.parseInt(name)))
                    .findFirst()
                    .map(name -> "spec.placement.weights: NUMA node " + name + " is not in spec.placement.nodes "
                            + listed + "; add it there or remove its weight.")
                    .orElse(null);
        });
    }

    private static Map<String, Integer> weights(NumaBufferPoolSpec spec) {
        var weights = spec.placement().weights();
        return weights == null ? Map.of() : weights;
    }
}
