package io.numabufferpool.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numabufferpool.placement.HugePageMode;
import io.numabufferpool.placement.PlacementPlanner;
import io.numabufferpool.placement.PlacementProblem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An observation comes from another container: whatever it says, the planner must stand it. */
class ObservationChecksTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'cpusAllowed': '0', 'kernelRelease': 'x'} | observation.memsAllowed is missing.",
                "{'memsAllowed': '0', 'kernelRelease': 'x'} | observation.cpusAllowed is missing.",
                "{'memsAllowed': '0', 'cpusAllowed': '0'} | observation.kernelRelease is missing.",
                "[{'numaNode': 1}, {'numaNode': 0}] | observation.numaNodes: node 0 after 1 is impossible; ascending from 0 to 1023.",
                "[{'numaNode': 1}, {'numaNode': 1}] | observation.numaNodes: node 1 after 1 is impossible; ascending from 0 to 1023.",
                "[{'numaNode': -1}] | observation.numaNodes: node -1 after -1 is impossible; ascending from 0 to 1023.",
                "[{'numaNode': 1024}] | observation.numaNodes: node 1024 after -1 is impossible; ascending from 0 to 1023.",
                "[{'numaNode': 0, 'memoryBytes': -5}] | observation.memoryBytes of node 0: -5 is impossible; 0 to 1125899906842624.",
                "[{'numaNode': 0, 'freeBytes': 9223372036854775807}] | observation.freeBytes of node 0: 9223372036854775807 is impossible; 0 to 1125899906842624.",
                "[{'numaNode': 0, 'hugePages': [{'pageBytes': 2097152, 'free': 9223372036854775807}]}] | observation.hugePages of node 0: 9223372036854775807 pages is impossible; 0 to 536870912.",
                "[{'numaNode': 0, 'hugePages': [{'pageBytes': 0, 'free': 1}]}] | observation.hugePages of node 0: 1 pages is impossible; 0 to 0.",
                "[{'numaNode': 0, 'distances': [10, 20]}] | observation.distances of node 0: 2 numbers is impossible; one for each of the 1 nodes.",
                "[{'numaNode': 0, 'distances': [-1]}] | observation.distances of node 0: -1 is impossible; 0 to 255.",
                "[{'numaNode': 0, 'distances': [2147483647]}] | observation.distances of node 0: 2147483647 is impossible; 0 to 255.",
                "[{'numaNode': 0, 'cpus': '0-x'}] | \"0-x\" is not a list such as \"0-1,3\": 'x' is not a number of at most 5 digits"
            })
    void whatIsImpossibleIsNamed(String json, String sentence) throws JsonProcessingException {
        var observation = observation(json);

        assertThatThrownBy(() -> PlacementMapping.toObservation(observation))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(sentence);
    }

    @Test
    void aMachineWithoutAnyNodeGivesAProblemNotAFault() throws JsonProcessingException {
        var observation = PlacementMapping.toObservation(observation("[]"));
        var request = PlacementMapping.toRequest(NumaBufferPoolSpec.ofSize("2Mi"));

        assertThat(PlacementPlanner.plan(request, observation)).isInstanceOf(PlacementProblem.class);
    }

    @Test
    void theLargestNumbersThatPassAreStoodByThePlanner() throws JsonProcessingException {
        var nodes = new StringBuilder("[");
        for (int n = 0; n < 1024; n++) {
            nodes.append(n == 0 ? "" : ",")
                    .append(
                            "{'numaNode': %d, 'cpus': '%d', 'memoryBytes': 1125899906842624, 'freeBytes': 1125899906842624,"
                                    .formatted(n, n))
                    .append("'hugePages': [{'pageBytes': 2097152, 'total': 536870912, 'free': 536870912}]}");
        }
        var observation =
                PlacementMapping.toObservation(observation(nodes.append("]").toString()));
        var spec = NumaBufferPoolSpec.ofSize("64Ti")
                .withHugePages(new HugePagesSpec(HugePageMode.Reserved, HugePageUnit.MI_2));

        assertThat(PlacementPlanner.plan(PlacementMapping.toRequest(spec), observation))
                .isNotNull();
    }

    /** A list is the nodes of an otherwise whole observation. */
    private static ObservationStatus observation(String json) throws JsonProcessingException {
        var whole = json.startsWith("[")
                ? "{'memsAllowed': '0', 'cpusAllowed': '0', 'kernelRelease': 'x', 'numaNodes': " + json + "}"
                : json;
        return JSON.readValue(whole.replace('\'', '"'), ObservationStatus.class);
    }
}
