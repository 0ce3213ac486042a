package io.numabufferpool.crds;

import static io.numabufferpool.placement.Enforcement.BestEffort;
import static io.numabufferpool.placement.HugePageMode.Reserved;

import io.numabufferpool.placement.PlacementPolicy;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;

/** Every rule on a pool's spec, in the order of its fields. */
final class SpecRules {
    private static final Set<PlacementPolicy> BEST_EFFORT_ONLY =
            Set.of(PlacementPolicy.None, PlacementPolicy.Preferred);

    private static final String NODES_PATTERN = "^(Allowed|All|[0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?)*)$";
    private static final String NODES_MALFORMED =
            " is not Allowed, All or a list of NUMA nodes; use a list such as 0-1,3.";
    private static final Pattern NODES = Pattern.compile(NODES_PATTERN);
    private static final String CONTAINER_PATTERN = "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$";
    private static final Pattern CONTAINER = Pattern.compile(CONTAINER_PATTERN);

    static final List<SpecRule> ALL = List.of(
            SpecRule.of(
                    "has(self.size)",
                    "spec.size is missing; say how many bytes of buffers each pod gets, such as 4Gi.",
                    spec -> spec.size() != null),
            SizeRules.sound("size"),
            SizeRules.sound("maxSize"),
            SizeRules.maxSizeAtLeastSize(),
            oneGiOnlyReserved(),
            bestEffortOnly(),
            nodesWellFormed(),
            nodesForwards(),
            nodesUnderNone(),
            WeightRules.onlyWeightedInterleave(),
            WeightRules.inRange(),
            WeightRules.namesAreNodes(),
            WeightRules.nodesAreListed(),
            SpecRule.of(
                    "!self.placement.bindCpus || self.placement.policy != 'None'",
                    "spec.placement.bindCpus: true has no effect under spec.placement.policy None, which chooses no NUMA nodes; use"
                            + " false or another policy.",
                    spec -> !spec.placement().bindCpus() || spec.placement().policy() != PlacementPolicy.None),
            SpecRule.of(
                    "self.placement.sharing == 'Shared'",
                    "spec.placement.sharing: Isolated is not available in this version; use Shared.",
                    spec -> spec.placement().sharing() == Sharing.Shared),
            SpecRule.of(
                    "self.placement.goal == 'Bandwidth'",
                    "spec.placement.goal: Latency is not available in this version; use Bandwidth.",
                    spec -> spec.placement().goal() == Goal.Bandwidth),
            between(
                    "partitionsPerNode",
                    "self.partitionsPerNode",
                    NumaBufferPoolSpec.PARTITIONS_PER_NODE_MAX,
                    NumaBufferPoolSpec::partitionsPerNode),
            between(
                    "slots.max",
                    "self.slots.max",
                    SlotsSpec.MAX_LIMIT,
                    spec -> spec.slots().max()),
            containers(),
            SpecRule.of(
                    "!has(self.dynamicSegments)",
                    "spec.dynamicSegments is not available in this version; remove it.",
                    spec -> spec.dynamicSegments() == null),
            SpecRule.of(
                    "!has(self.adopt)",
                    "spec.adopt is not available in this version; remove it.",
                    spec -> spec.adopt() == null),
            ResourceRules.onlyCpu("requests"),
            ResourceRules.onlyCpu("limits"),
            ResourceRules.cpuSound("requests"),
            ResourceRules.cpuSound("limits"),
            ResourceRules.requestWithinLimit());

    private SpecRules() {}

    private static SpecRule oneGiOnlyReserved() {
        return new SpecRule(
                "self.hugePages.size != '1Gi' || self.hugePages.mode == 'Reserved'",
                "'spec.hugePages.size: 1Gi needs spec.hugePages.mode Reserved, not ' + self.hugePages.mode + '; use 2Mi, or mode"
                        + " Reserved.'",
                spec -> spec.hugePages().size() != HugePageUnit.GI_1
                                || spec.hugePages().mode() == Reserved
                        ? null
                        : "spec.hugePages.size: 1Gi needs spec.hugePages.mode Reserved, not "
                                + spec.hugePages().mode() + "; use 2Mi, or mode Reserved.");
    }

    private static SpecRule bestEffortOnly() {
        return new SpecRule(
                "!(self.placement.policy in ['None', 'Preferred']) || self.placement.enforcement == 'BestEffort'",
                "'spec.placement.policy: ' + self.placement.policy + ' leaves placement to the kernel, which"
                        + " spec.placement.enforcement Strict refuses; set enforcement to BestEffort.'",
                spec -> !BEST_EFFORT_ONLY.contains(spec.placement().policy())
                                || spec.placement().enforcement() == BestEffort
                        ? null
                        : "spec.placement.policy: " + spec.placement().policy()
                                + " leaves placement to the kernel, which spec.placement.enforcement Strict refuses; set"
                                + " enforcement to BestEffort.");
    }

    private static String text(String field) {
        return "string(self." + field + ")";
    }

    private static SpecRule nodesWellFormed() {
        var nodes = text("placement.nodes");
        return new SpecRule(
                nodes + ".matches('" + NODES_PATTERN + "')",
                "'spec.placement.nodes: ' + " + SpecRule.shownCel(nodes) + " + '" + NODES_MALFORMED + "'",
                spec -> NODES.matcher(spec.placement().nodes()).matches()
                        ? null
                        : "spec.placement.nodes: "
                                + SpecRule.shown(spec.placement().nodes()) + NODES_MALFORMED);
    }

    /**
     * In Java only: a loop over a text that may also be a number costs more than a rule may. Whoever works with the pool says
     * it.
     */
    private static SpecRule nodesForwards() {
        return SpecRule.inJavaOnly(spec -> {
            for (var part : spec.placement().nodes().split(",", -1)) {
                var ends = part.split("-", -1);
                boolean range = ends.length == 2 && NODES.matcher(part).matches();
                if (range && Integer.parseInt(ends[0]) > Integer.parseInt(ends[1])) {
                    return "spec.placement.nodes: " + spec.placement().nodes() + " has the range " + part
                            + ", which runs backwards; use " + ends[1] + "-" + ends[0] + ".";
                }
            }
            return null;
        });
    }

    private static SpecRule nodesUnderNone() {
        var nodes = text("placement.nodes");
        return new SpecRule(
                "self.placement.policy != 'None' || " + nodes + " == 'Allowed'",
                "'spec.placement.nodes: ' + " + nodes
                        + " + ' has no effect under spec.placement.policy None; use nodes Allowed,"
                        + " or policy Partitioned or Interleave.'",
                spec -> spec.placement().policy() != PlacementPolicy.None
                                || spec.placement().nodes().equals(PlacementSpec.NODES_DEFAULT)
                        ? null
                        : "spec.placement.nodes: "
                                + SpecRule.shown(spec.placement().nodes())
                                + " has no effect under spec.placement.policy None; use nodes Allowed, or policy Partitioned"
                                + " or Interleave.");
    }

    private static SpecRule between(String field, String cel, int max, ToIntFunction<NumaBufferPoolSpec> value) {
        var fix = " is out of range; use 1 to " + max + ".";
        return new SpecRule(
                cel + " >= 1 && " + cel + " <= " + max,
                "'spec." + field + ": ' + string(dyn(" + cel + ")) + '" + fix + "'",
                spec -> {
                    int number = value.applyAsInt(spec);
                    return number >= 1 && number <= max ? null : "spec." + field + ": " + number + fix;
                });
    }

    private static SpecRule containers() {
        var fix =
                " is neither * alone nor a list of different container names; use [\"*\"], or names such as [postgres].";
        return new SpecRule(
                "self.containers == ['*'] || (size(self.containers) > 0 && self.containers.all(c, c.matches('"
                        + CONTAINER_PATTERN + "') && self.containers.exists_one(d, d == c)))",
                "'spec.containers: [' + " + SpecRule.shownCel("self.containers.join(', ')") + " + ']" + fix + "'",
                spec -> {
                    var names = spec.containers();
                    boolean kept = names.equals(List.of(NumaBufferPoolSpec.EVERY_CONTAINER))
                            || (!names.isEmpty()
                                    && Set.copyOf(names).size() == names.size()
                                    && names.stream()
                                            .allMatch(name ->
                                                    CONTAINER.matcher(name).matches()));
                    return kept ? null : "spec.containers: [" + SpecRule.shown(String.join(", ", names)) + "]" + fix;
                });
    }
}
