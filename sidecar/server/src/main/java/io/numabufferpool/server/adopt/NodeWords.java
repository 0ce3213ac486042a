package io.numabufferpool.server.adopt;

import io.numabufferpool.placement.NodeSelection;
import io.numabufferpool.placement.NumaNodeSet;

/**
 * Which NUMA nodes a command line means, in the words of databases. Immutable.
 *
 * @param selection the nodes
 * @param bindCpus whether the program runs on their CPUs only
 * @param off whether nothing is placed, only looked at
 */
public record NodeWords(NodeSelection selection, boolean bindCpus, boolean off) {
    /**
     * {@code off}, {@code all}, {@code auto} (what this process may use), {@code =0,1} or {@code 0-1} (memory of these nodes),
     * {@code @1} (memory and CPUs of it).
     *
     * @throws IllegalArgumentException whose message shows the right words
     */
    public static NodeWords parse(String text) {
        return switch (text) {
            case "off" -> new NodeWords(new NodeSelection.Allowed(), false, true);
            case "all" -> new NodeWords(new NodeSelection.All(), false, false);
            case "auto" -> new NodeWords(new NodeSelection.Allowed(), false, false);
            default -> listed(text);
        };
    }

    private static NodeWords listed(String text) {
        boolean bindCpus = text.startsWith("@");
        boolean prefixed = bindCpus || text.startsWith("=");
        try {
            var nodes = NumaNodeSet.parse(prefixed ? text.substring(1) : text);
            if (!nodes.isEmpty()) {
                return new NodeWords(new NodeSelection.Listed(nodes), bindCpus, false);
            }
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(wrongWords(text) + " " + wrong.getMessage(), wrong);
        }
        throw new IllegalArgumentException(wrongWords(text));
    }

    private static String wrongWords(String text) {
        return "\"" + text
                + "\" names no NUMA nodes; use off, all, auto, a list such as 0-1 or =0,1, or @1 for its CPUs too.";
    }
}
