package io.numabufferpool.operator.injection;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * A NumaBufferPool as injection reads it: the API server's own JSON, so that every field goes to the sidecar as it was
 * written, with the schema's defaults.
 */
final class PoolParameters {
    /* The chart's _memory.tpl has the same table and says what each line is for. */
    private static final long SIZE_DIVISOR = 32;
    private static final long SLOT_BYTES = 4096;
    private static final long PROGRAM_BYTES = 128L << 20;
    private static final long MIB = 1L << 20;

    private static final int SLOTS_DEFAULT = 1024;

    /** Variable -> field below spec. In the order that the container shows them. */
    private static final List<Map.Entry<String, String>> FIELDS = List.of(
            Map.entry("NUMAPOOL_SIZE", "/size"),
            Map.entry("NUMAPOOL_MAX_SIZE", "/maxSize"),
            Map.entry("NUMAPOOL_BUFFER_SIZE", "/bufferSize"),
            Map.entry("NUMAPOOL_HUGE_PAGES_MODE", "/hugePages/mode"),
            Map.entry("NUMAPOOL_HUGE_PAGES_SIZE", "/hugePages/size"),
            Map.entry("NUMAPOOL_POLICY", "/placement/policy"),
            Map.entry("NUMAPOOL_NODES", "/placement/nodes"),
            Map.entry("NUMAPOOL_MEMORY_ONLY_NODES", "/placement/memoryOnlyNodes"),
            Map.entry("NUMAPOOL_ENFORCEMENT", "/placement/enforcement"),
            Map.entry("NUMAPOOL_SHARING", "/placement/sharing"),
            Map.entry("NUMAPOOL_GOAL", "/placement/goal"),
            Map.entry("NUMAPOOL_BIND_CPUS", "/placement/bindCpus"),
            Map.entry("NUMAPOOL_WEIGHTS", "/placement/weights"),
            Map.entry("NUMAPOOL_PARTITIONS_PER_NODE", "/partitionsPerNode"),
            Map.entry("NUMAPOOL_SLOTS_MAX", "/slots/max"),
            Map.entry("NUMAPOOL_ACCESS", "/access"));

    private final JsonNode pool;

    PoolParameters(JsonNode pool) {
        this.pool = pool;
    }

    String generation() {
        return pool.at("/metadata/generation").asText();
    }

    /** What the pool can grow to: limits of a running container do not follow it. */
    String sizeMax() {
        var max = spec("/maxSize");
        return max.isEmpty() ? spec("/size") : max;
    }

    boolean reserved() {
        return spec("/hugePages/mode").equals("Reserved");
    }

    /** Of one huge page, such as {@code 2Mi}. */
    String hugePageSize() {
        var size = spec("/hugePages/size");
        return size.isEmpty() ? "2Mi" : size;
    }

    /** Whether this application container shall see the pool. */
    boolean selects(String container) {
        var selected = pool.at("/spec/containers");
        return selected.isMissingNode()
                || StreamSupport.stream(selected.spliterator(), false)
                        .map(JsonNode::asText)
                        .anyMatch(name -> name.equals("*") || name.equals(container));
    }

    /** What the pool asks of that resource for its sidecar; {@code kind}: requests or limits. */
    Optional<String> sidecarResource(String kind, String resource) {
        var value = spec("/sidecar/resources/" + kind + "/" + resource);
        return value.isEmpty() ? Optional.empty() : Optional.of(value);
    }

    /** The sidecar's memory, request and limit, in whole MiB. */
    String memory() {
        long size = new Quantity(sizeMax()).getNumericalAmount().longValueExact();
        var slots = spec("/slots/max");
        long slotCount = slots.isEmpty() ? SLOTS_DEFAULT : new BigDecimal(slots).longValueExact();
        long bytes = (reserved() ? 0 : size) + size / SIZE_DIVISOR + slotCount * SLOT_BYTES + PROGRAM_BYTES;
        return (bytes + MIB - 1) / MIB + "Mi";
    }

    /** One variable a field; what the pool leaves out is left out. */
    List<EnvVar> variables(String operatorUrl) {
        var variables = new ArrayList<EnvVar>();
        variables.add(variable("NUMAPOOL_POOL", pool.at("/metadata/name").asText()));
        variables.add(variable("NUMAPOOL_POOL_UID", pool.at("/metadata/uid").asText()));
        variables.add(variable("NUMAPOOL_POOL_GENERATION", generation()));
        for (var field : FIELDS) {
            variables.add(variable(field.getKey(), spec(field.getValue())));
        }
        variables.add(variable("NUMAPOOL_OPERATOR_URL", operatorUrl));
        variables.removeIf(variable -> variable.getValue().isEmpty());
        return variables;
    }

    private static EnvVar variable(String name, String value) {
        return new EnvVar(name, value, null);
    }

    private String spec(String field) {
        var value = pool.at("/spec" + field);
        return value.isObject() ? joined(value) : value.asText();
    }

    private static String joined(JsonNode map) {
        return map.properties().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue().asText())
                .sorted()
                .collect(Collectors.joining(","));
    }
}
