package io.numabufferpool.cluster;

import java.util.Map;
import java.util.TreeMap;

/** What the stranger (probe.c) read from the kernel about its own mapping of the buffers. */
record Probe(Map<Integer, Long> bytesOnNode, long hugeBytes) {
    /** Attaches in a container of the pod, reads every page, asks the kernel, and goes. */
    static Probe in(UserNamespace namespace, String pod, String container) {
        var printed = namespace
                .exec(pod, container, "/probe", "pages", "/run/numa-buffer-pool", "0")
                .orThrow();
        var bytesOnNode = new TreeMap<Integer, Long>();
        long hugeBytes = 0;
        for (var line : printed.lines().toList()) {
            var words = line.split(" ", -1);
            if (words[0].equals("node")) {
                bytesOnNode.put(Integer.parseInt(words[1]), Long.parseLong(words[2]));
            } else if (words[0].equals("huge")) {
                hugeBytes = Long.parseLong(words[1]);
            }
        }
        return new Probe(bytesOnNode, hugeBytes);
    }
}
