package io.numabufferpool.placement;

/** Which NUMA nodes a pool wants: {@code spec.placement.nodes}. */
public sealed interface NodeSelection {
    /** The nodes that this container may use and can reach. */
    record Allowed() implements NodeSelection {}

    /** Every node of the machine; a problem where the container may not use one of them. */
    record All() implements NodeSelection {}

    /** Exactly these; a problem where the container may not use, or cannot reach, one of them. */
    record Listed(NumaNodeSet numaNodes) implements NodeSelection {}

    /** The text that {@link #parse} reads back. */
    default String text() {
        return switch (this) {
            case Allowed _ -> "Allowed";
            case All _ -> "All";
            case Listed(var numaNodes) -> numaNodes.toString();
        };
    }

    /** Parses {@code Allowed}, {@code All} or a list such as {@code 0-1,3}; the message of the exception names the fix. */
    static NodeSelection parse(String text) {
        return switch (text) {
            case "Allowed" -> new Allowed();
            case "All" -> new All();
            default -> new Listed(NumaNodeSet.parse(text));
        };
    }
}
