package io.numabufferpool.placement;

/** What the planner answers: where the segment goes, or why it goes nowhere. */
public sealed interface PlacementOutcome permits PlacementDecision, PlacementProblem {}
