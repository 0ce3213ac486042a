package io.numabufferpool.server.config;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numabufferpool.crds.NumaBufferPoolSpec;
import java.util.Map;
import java.util.Optional;

/**
 * The pool that a pod's sidecar was injected for. Admission cannot render JSON, so every field is a variable of its own; an
 * absent or empty one means the default of the API. Immutable.
 */
public final class PoolEnvironment {
    private final Map<String, String> environment;

    public PoolEnvironment(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    /** Whether this process runs as an injected sidecar. */
    public boolean present() {
        return find("NUMAPOOL_POOL").isPresent();
    }

    /** The variable's value, unless it is absent or empty. */
    public Optional<String> find(String variable) {
        return Optional.ofNullable(environment.get(variable)).filter(value -> !value.isBlank());
    }

    /** The variable's value. @throws InvalidSettings naming it where it is absent or empty */
    public String read(String variable) {
        return find(variable)
                .orElseThrow(() -> new InvalidSettings("The environment variable " + variable
                        + " is not set. The sidecar is started by injection; outside a pod use"
                        + " \"numapool serve -f pool.yaml\"."));
    }

    /** The variable's value as a whole number. */
    public long readNumber(String variable) {
        var value = read(variable);
        if (!value.matches("[0-9]{1,18}")) {
            throw new InvalidSettings(
                    "The environment variable " + variable + " is \"" + value + "\"; it must be a whole number.");
        }
        return Long.parseLong(value);
    }

    /** The spec, checked as the API server checks it. */
    public NumaBufferPoolSpec spec() {
        var spec = JsonNodeFactory.instance.objectNode();
        text(spec, "size", "NUMAPOOL_SIZE");
        text(spec, "maxSize", "NUMAPOOL_MAX_SIZE");
        text(spec, "bufferSize", "NUMAPOOL_BUFFER_SIZE");
        var hugePages = spec.putObject("hugePages");
        text(hugePages, "mode", "NUMAPOOL_HUGE_PAGES_MODE");
        text(hugePages, "size", "NUMAPOOL_HUGE_PAGES_SIZE");
        var placement = spec.putObject("placement");
        text(placement, "policy", "NUMAPOOL_POLICY");
        text(placement, "nodes", "NUMAPOOL_NODES");
        text(placement, "memoryOnlyNodes", "NUMAPOOL_MEMORY_ONLY_NODES");
        text(placement, "enforcement", "NUMAPOOL_ENFORCEMENT");
        text(placement, "sharing", "NUMAPOOL_SHARING");
        text(placement, "goal", "NUMAPOOL_GOAL");
        text(placement, "bindCpus", "NUMAPOOL_BIND_CPUS");
        find("NUMAPOOL_WEIGHTS").ifPresent(weights -> addWeights(placement.putObject("weights"), weights));
        number(spec, "partitionsPerNode", "NUMAPOOL_PARTITIONS_PER_NODE");
        number(spec.putObject("slots"), "max", "NUMAPOOL_SLOTS_MAX");
        text(spec, "access", "NUMAPOOL_ACCESS");
        return PoolSpecReader.read(spec, "The pool in the sidecar's environment");
    }

    private void text(ObjectNode parent, String field, String variable) {
        find(variable).ifPresent(value -> parent.put(field, value));
    }

    private void number(ObjectNode parent, String field, String variable) {
        if (find(variable).isPresent()) {
            parent.put(field, readNumber(variable));
        }
    }

    private static void addWeights(ObjectNode weights, String text) {
        for (var pair : text.split(",", -1)) {
            if (!pair.matches("[0-9]{1,4}=[0-9]{1,9}")) {
                throw new InvalidSettings("The environment variable NUMAPOOL_WEIGHTS is \"" + text
                        + "\"; it must be pairs of a NUMA node and its weight, such as \"0=3,1=1\".");
            }
            int equals = pair.indexOf('=');
            weights.put(pair.substring(0, equals), Integer.parseInt(pair.substring(equals + 1)));
        }
    }
}
