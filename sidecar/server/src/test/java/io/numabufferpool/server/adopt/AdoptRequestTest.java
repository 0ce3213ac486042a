package io.numabufferpool.server.adopt;

import static org.assertj.core.api.Assertions.assertThat;

import io.numabufferpool.crds.AdoptKind;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.NumaTopology;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementPolicy;
import io.numabufferpool.placement.PlacementProblem;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** From a person's words and a machine to the library's environment. */
class AdoptRequestTest {
    private static final Path LIBRARY = Path.of("/place/libnumapool_adopt.so");
    private static final Path REPORTS = Path.of("/place/reports");

    /** Four nodes of one CPU each, of which this process may use some; the kernel weighs node n with n + 1. */
    private static Observation machine(String allowed) {
        var nodes = IntStream.range(0, 4)
                .mapToObj(index -> new NumaNode(
                        index,
                        CpuSet.parse(Integer.toString(index)),
                        1L << 30,
                        1L << 29,
                        List.of(),
                        List.of(10, 20, 20, 20),
                        index + 1))
                .toList();
        return new Observation(
                new NumaTopology(nodes),
                NumaNodeSet.parse(allowed),
                CpuSet.parse("0-3"),
                true,
                NumaNodeSet.empty(),
                true,
                "6.12",
                OptionalLong.empty());
    }

    private static AdoptRequest request(String nodes, PlacementPolicy policy, SortedMap<Integer, Integer> weights) {
        return new AdoptRequest(
                NodeWords.parse(nodes),
                policy,
                weights,
                HugePageMode.Transparent,
                64L << 20,
                Set.of(AdoptKind.SysV, AdoptKind.SharedAnonymous));
    }

    private static Map<String, String> environment(
            AdoptRequest request, Observation machine, @Nullable String preloaded) {
        var decision = (PlacementDecision) request.plan(machine);
        return AdoptEnvironment.of(request, decision, machine, LIBRARY, preloaded, REPORTS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "all 0-3 0-3 false",
                "auto 1-2 1-2 false",
                "=0,3 0-3 0,3 false",
                "@1 0-3 1 true",
                "off 0-1 0-1 false"
            })
    void wordsBecomeNodesOfThisMachine(String word, String allowed, String nodes, String bindCpus) {
        var environment =
                environment(request(word, PlacementPolicy.Interleave, new TreeMap<>()), machine(allowed), null);

        assertThat(environment)
                .containsEntry("NUMAPOOL_ADOPT_NODES", nodes)
                .containsEntry("NUMAPOOL_ADOPT_BIND_CPUS", bindCpus)
                .containsEntry("NUMAPOOL_ADOPT_KINDS", "SharedAnonymous,SysV")
                .containsEntry("NUMAPOOL_ADOPT_MIN_SIZE", "67108864")
                .containsEntry("NUMAPOOL_ADOPT_POLICY", word.equals("off") ? "None" : "Interleave");
    }

    @ParameterizedTest
    @EnumSource(value = PlacementPolicy.class, names = "None", mode = EnumSource.Mode.EXCLUDE)
    void everyPolicyKeepsAllNodesThatWereAskedFor(PlacementPolicy policy) {
        assertThat(environment(request("all", policy, new TreeMap<>()), machine("0-3"), null))
                .containsEntry("NUMAPOOL_ADOPT_NODES", "0-3")
                .containsEntry("NUMAPOOL_ADOPT_POLICY", policy.name());
    }

    @Test
    void nodeThatThisProcessMayNotUseIsRefusedInWordsOfTheCommand() {
        var outcome =
                request("=0,3", PlacementPolicy.Interleave, new TreeMap<>()).plan(machine("0-2"));

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        PlacementProblem.class,
                        problem -> assertThat(problem.message())
                                .contains("--nodes", "3")
                                .doesNotContain("spec."));
    }

    @Test
    void weightsAreThePersonsElseTheKernels() {
        var given = new TreeMap<>(Map.of(0, 3));

        assertThat(environment(request("=0,1", PlacementPolicy.WeightedInterleave, given), machine("0-3"), null))
                .containsEntry("NUMAPOOL_ADOPT_WEIGHTS", "0=3,1=1");
        assertThat(environment(
                        request("=0,1", PlacementPolicy.WeightedInterleave, new TreeMap<>()), machine("0-3"), null))
                .containsEntry("NUMAPOOL_ADOPT_WEIGHTS", "0=1,1=2");
    }

    @Test
    void libraryThatIsPreloadedAlreadyStaysInFront() {
        var request = request("all", PlacementPolicy.Interleave, new TreeMap<>());

        assertThat(environment(request, machine("0-3"), "/other.so"))
                .containsEntry("LD_PRELOAD", "/other.so:" + LIBRARY);
        assertThat(environment(request, machine("0-3"), " ")).containsEntry("LD_PRELOAD", LIBRARY.toString());
    }
}
