package io.numabufferpool.placement;

/**
 * Why no segment can be placed.
 *
 * @param reason one word in CamelCase, the condition's reason, such as {@code NumaNodeUnreachable}
 * @param message one sentence with the field, the value, what the machine has, and the fix
 */
public record PlacementProblem(String reason, String message) implements PlacementOutcome {}
