package io.numabufferpool.server.lifecycle;

import io.numabufferpool.crds.DecidedBy;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementDecision;
import io.numabufferpool.placement.PlacementMethod;
import io.numabufferpool.server.segment.RangePlacement;
import java.util.List;
import java.util.Optional;

/**
 * All that the sidecar knows at one moment about its segment. Immutable.
 *
 * @param phase how far it is
 * @param observation what it sees; empty before the first look
 * @param decision in force
 * @param method the rung of the ladder that was really used; empty before pages are placed
 * @param generation of the published segment; 0 before
 * @param ranges where pages are, as counted last
 * @param problem why it does not serve, or not as decided
 */
public record SidecarState(
        Phase phase,
        Optional<Observation> observation,
        Optional<Decision> decision,
        Optional<PlacementMethod> method,
        long generation,
        List<RangePlacement> ranges,
        Optional<Problem> problem) {
    /** A decision and who made it. */
    public record Decision(PlacementDecision placement, DecidedBy by) {}

    /** Before the first look. */
    static final SidecarState BEGIN = new SidecarState(
            Phase.Observing, Optional.empty(), Optional.empty(), Optional.empty(), 0, List.of(), Optional.empty());

    public SidecarState {
        ranges = List.copyOf(ranges);
    }

    /** Whether clients can attach. */
    public boolean published() {
        return generation != 0;
    }

    /** In hexadecimal, as in status and log. */
    public Optional<String> generationText() {
        return published() ? Optional.of(Long.toHexString(generation)) : Optional.empty();
    }

    SidecarState at(Phase next) {
        return new SidecarState(next, observation, decision, method, generation, ranges, problem);
    }

    SidecarState observed(Observation seen) {
        return new SidecarState(phase, Optional.of(seen), decision, method, generation, ranges, problem);
    }

    SidecarState decided(Decision made) {
        return new SidecarState(phase, observation, Optional.of(made), method, generation, ranges, problem);
    }

    SidecarState placed(PlacementMethod used, List<RangePlacement> counted) {
        return new SidecarState(phase, observation, decision, Optional.of(used), generation, counted, problem);
    }

    SidecarState serving(Phase next, long publishedGeneration, Optional<Problem> found) {
        return new SidecarState(next, observation, decision, method, publishedGeneration, ranges, found);
    }

    SidecarState failed(Problem found) {
        return new SidecarState(
                Phase.Failed, observation, decision, Optional.empty(), generation, List.of(), Optional.of(found));
    }
}
