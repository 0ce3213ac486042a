package io.numabufferpool.bench.replacement;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** SIEVE, after Zhang et al., NSDI 2024: one queue, a hand from its tail to its head that leaves visited blocks where they are. */
final class SieveCache implements BlockCache {
    private static final class Node {
        private final long block;
        private boolean visited;
        private @Nullable Node newer;
        private @Nullable Node older;

        private Node(long block) {
            this.block = block;
        }
    }

    private final int size;
    private final Map<Long, Node> nodes = new HashMap<>();
    private @Nullable Node newest;
    private @Nullable Node oldest;
    private @Nullable Node hand;

    SieveCache(int size) {
        this.size = size;
    }

    @Override
    public boolean reference(long block) {
        var known = nodes.get(block);
        if (known != null) {
            known.visited = true;
            return true;
        }
        if (nodes.size() == size) {
            evict();
        }
        var node = new Node(block);
        node.older = newest;
        if (newest != null) {
            newest.newer = node;
        }
        newest = node;
        oldest = oldest == null ? node : oldest;
        nodes.put(block, node);
        return false;
    }

    private void evict() {
        var node = hand == null ? oldest : hand;
        while (node != null && node.visited) {
            node.visited = false;
            node = node.newer == null ? oldest : node.newer;
        }
        if (node == null) {
            return;
        }
        hand = node.newer;
        if (node.newer == null) {
            newest = node.older;
        } else {
            node.newer.older = node.older;
        }
        if (node.older == null) {
            oldest = node.newer;
        } else {
            node.older.newer = node.newer;
        }
        nodes.remove(node.block);
    }
}
