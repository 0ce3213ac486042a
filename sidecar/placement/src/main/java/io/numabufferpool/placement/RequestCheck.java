package io.numabufferpool.placement;

import java.util.Optional;

/** What the planner's arithmetic relies on, whoever made the request. The Kubernetes API refuses the same earlier. */
final class RequestCheck {
    private RequestCheck() {}

    static Optional<PlacementProblem> first(PlacementRequest request) {
        long page = request.hugePageBytes();
        if (page <= 0 || request.bufferBytes() <= 0 || page % request.bufferBytes() != 0) {
            return problem("spec.bufferSize: " + ByteCount.asQuantity(request.bufferBytes())
                    + " does not divide hugePages.size " + ByteCount.asQuantity(page)
                    + "; use 4Ki, 8Ki, 16Ki, 32Ki or 64Ki.");
        }
        if (request.sizeBytes() <= 0 || request.sizeBytes() % page != 0) {
            return notMultiple("spec.size", request.sizeBytes(), page);
        }
        if (request.maxSizeBytes() % page != 0) {
            return notMultiple("spec.maxSize", request.maxSizeBytes(), page);
        }
        if (request.maxSizeBytes() < request.sizeBytes()) {
            return problem("spec.maxSize: " + ByteCount.asQuantity(request.maxSizeBytes()) + " is less than spec.size "
                    + ByteCount.asQuantity(request.sizeBytes()) + "; raise or remove it.");
        }
        if (request.partitionsPerNode() < 1) {
            return problem(
                    "spec.partitionsPerNode: " + request.partitionsPerNode() + " is less than 1; use 1 or more.");
        }
        return policy(request).or(() -> weights(request));
    }

    private static Optional<PlacementProblem> policy(PlacementRequest request) {
        boolean leavesItToTheKernel =
                request.policy() == PlacementPolicy.None || request.policy() == PlacementPolicy.Preferred;
        return leavesItToTheKernel && request.enforcement() == Enforcement.Strict
                ? problem("spec.placement.policy: " + request.policy()
                        + " leaves placement to the kernel, which enforcement Strict would refuse; set"
                        + " spec.placement.enforcement to BestEffort.")
                : Optional.empty();
    }

    private static Optional<PlacementProblem> weights(PlacementRequest request) {
        if (request.weights().isEmpty()) {
            return Optional.empty();
        }
        if (request.policy() != PlacementPolicy.WeightedInterleave) {
            return problem("spec.placement.weights: have no effect under spec.placement.policy " + request.policy()
                    + "; remove them, or use policy WeightedInterleave.");
        }
        for (var weight : request.weights().entrySet()) {
            if (weight.getValue() < 1 || weight.getValue() > PlacementRequest.WEIGHT_MAX) {
                return problem("spec.placement.weights: the weight " + weight.getValue() + " of NUMA node "
                        + weight.getKey() + " is out of range; use 1 to " + PlacementRequest.WEIGHT_MAX
                        + ", and leave a node out by spec.placement.nodes.");
            }
            if (request.nodes() instanceof NodeSelection.Listed(var listed) && !listed.contains(weight.getKey())) {
                return problem("spec.placement.weights: NUMA node " + weight.getKey()
                        + " is not in spec.placement.nodes " + listed + "; add it there or remove its weight.");
            }
        }
        return Optional.empty();
    }

    private static Optional<PlacementProblem> notMultiple(String field, long bytes, long page) {
        return problem(field + ": " + ByteCount.asQuantity(bytes) + " is not a multiple of hugePages.size "
                + ByteCount.asQuantity(page) + ".");
    }

    private static Optional<PlacementProblem> problem(String message) {
        return Optional.of(new PlacementProblem(PlacementReason.InvalidSpec, message));
    }
}
