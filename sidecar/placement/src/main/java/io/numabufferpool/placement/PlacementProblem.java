package io.numabufferpool.placement;

/**
 * Why no segment can be placed.
 *
 * @param reason the condition's reason
 * @param message one sentence with the field, the value, what the machine has, and the fix
 */
public record PlacementProblem(PlacementReason reason, String message) implements PlacementOutcome, NodeResolution {}
