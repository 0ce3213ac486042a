package io.numabufferpool.crds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.kubernetes.client.CustomResource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Renders a kind's CustomResourceDefinition. Fabric8 turns the types into a schema; what its annotations cannot say is added
 * here: CEL rules with rendered sentences, list keys, bounds, and sizes that may be written as numbers.
 */
final class CrdRenderer {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR));

    /** Texts in status are bounded, so that no report can fill the object store. */
    private static final int MESSAGE_LENGTH_MAX = 32_768;

    private static final String REASON_PATTERN = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$";

    /** Quantities in a spec are short; the bound makes the rules on them cheap. */
    private static final int QUANTITY_LENGTH_MAX = 32;

    /** What {@code kubectl explain} says first. */
    private static final Map<Class<?>, String> DESCRIPTIONS = Map.of(
            NumaBufferPool.class,
            "A pool of buffers in shared memory, placed on NUMA nodes. Every pod with the label numabufferpool.io/pool: NAME gets"
                    + " one of its own, served by a sidecar.",
            NumaPlacement.class,
            "Where one pod's pool goes and where it really lies. Written by the operator; it goes with its pod.");

    private CrdRenderer() {}

    static String render(Class<? extends CustomResource<?, ?>> kind) {
        var crd = (ObjectNode) parse(generate(kind));
        var version = (ObjectNode) crd.at("/spec/versions/0");
        var schema = (ObjectNode) version.at("/schema/openAPIV3Schema");
        version.set("additionalPrinterColumns", declared(kind, (ArrayNode) version.get("additionalPrinterColumns")));
        schema.put("description", DESCRIPTIONS.get(kind));
        if (kind == NumaBufferPool.class) {
            poolSpec(schema);
        }
        walk(schema);
        if (kind == NumaBufferPool.class) {
            requireComponents(property(schema, "status"), NumaBufferPoolStatus.class);
            orderEnums(property(schema, "spec"), NumaBufferPoolSpec.class);
        } else {
            require(schema, "spec");
            requireComponents(property(schema, "spec"), NumaPlacementSpec.class);
            requireComponents(property(schema, "status"), NumaPlacementStatus.class);
        }
        try {
            return HEADER + YAML.writeValueAsString(crd);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final String HEADER =
            "# Rendered from the Java types beside it. Refresh: " + RenderedFile.REFRESH + "\n";

    private static void poolSpec(ObjectNode schema) {
        schema.withArray("x-kubernetes-validations")
                .add(rule(NumaBufferPoolSpecChecks.nameCel(), NumaBufferPoolSpecChecks.nameCelMessage()));
        require(schema, "spec");
        var spec = property(schema, "spec");
        var rules = spec.withArray("x-kubernetes-validations");
        SpecRules.ALL.stream().filter(SpecRule::inCel).forEach(rule -> rules.add(rule(rule.cel(), rule.celMessage())));
        intOrString(property(spec, "size"));
        intOrString(property(spec, "maxSize"));
        intOrString(property(property(spec, "placement"), "nodes"));
        intOrString(property(property(spec, "dynamicSegments"), "maxSize"));
        intOrString(property(property(spec, "adopt"), "minSize"));
        property(property(spec, "placement"), "nodes").put("maxLength", 1024);
        for (var name : List.of("hugePages", "placement", "slots")) {
            property(spec, name).set("default", YAML.createObjectNode());
        }
        var containers = property(spec, "containers");
        containers.set("default", YAML.createArrayNode().add(NumaBufferPoolSpec.EVERY_CONTAINER));
        containers.put("maxItems", 64).put("x-kubernetes-list-type", "atomic");
        ((ObjectNode) containers.get("items")).put("maxLength", 63);
        property(property(spec, "placement"), "weights").put("maxProperties", 1024);
        var resources = property(property(spec, "sidecar"), "resources");
        for (var name : List.of("limits", "requests")) {
            var quantity = (ObjectNode) property(resources, name).get("additionalProperties");
            intOrString(quantity);
            property(resources, name).put("maxProperties", 16);
        }
    }

    /** The generator sorts columns by path; people read them in the order they were declared in. */
    private static ArrayNode declared(Class<?> kind, ArrayNode columns) {
        var sorted = YAML.createArrayNode();
        for (var declared : kind.getAnnotationsByType(AdditionalPrinterColumn.class)) {
            for (var column : columns) {
                if (column.get("name").asText().equals(declared.name())) {
                    sorted.add(column);
                }
            }
        }
        return sorted;
    }

    /** What holds for a field of that name wherever it is. */
    private static final Map<String, List<Object>> LISTS = Map.ofEntries(
            Map.entry("conditions", List.of("type", 16)),
            Map.entry("numaNodes", List.of("numaNode", 1024)),
            Map.entry("shares", List.of("numaNode", 1024)),
            Map.entry("partitions", List.of("partition", NumaPlacementStatus.PARTITIONS_MAX)),
            Map.entry("worstPods", List.of("name", NumaBufferPoolStatus.WORST_PODS_MAX)),
            Map.entry("hugePages", List.of("pageBytes", 16)),
            Map.entry("dropped", List.of("reason", 16)));

    private static void walk(ObjectNode schema) {
        var properties = schema.get("properties");
        if (properties instanceof ObjectNode fields) {
            fields.properties().forEach(field -> {
                bound(field.getKey(), (ObjectNode) field.getValue());
                walk((ObjectNode) field.getValue());
            });
        }
        if (schema.get("items") instanceof ObjectNode items) {
            walk(items);
        }
    }

    /** What programs write must be whole: every component that may not be null is required. Lists may be left out. */
    private static void requireComponents(ObjectNode schema, Class<?> type) {
        for (var component : type.getRecordComponents()) {
            var property = property(schema, component.getName());
            if (component.getType() == List.class) {
                var of = ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
                if (of instanceof Class<?> element && element.isRecord()) {
                    requireComponents((ObjectNode) property.get("items"), element);
                }
                continue;
            }
            if (!component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                require(schema, component.getName());
            }
            if (component.getType().isRecord()) {
                requireComponents(property, component.getType());
            }
        }
    }

    /** The generator sorts by letters; {@code kubectl explain} shows the first few, so they stand as they are declared. */
    private static void orderEnums(ObjectNode schema, Class<?> type) {
        for (var component : type.getRecordComponents()) {
            var property = property(schema, component.getName());
            if (component.getType().isRecord()) {
                orderEnums(property, component.getType());
            } else if (component.getType().isEnum()) {
                var values = property.putArray("enum");
                for (var constant : component.getType().getEnumConstants()) {
                    values.add(YAML.valueToTree(constant));
                }
            }
        }
    }

    private static void bound(String name, ObjectNode field) {
        if (field.path("type").asText().equals("array") && LISTS.containsKey(name)) {
            var key = (String) LISTS.get(name).get(0);
            field.put("maxItems", (Integer) LISTS.get(name).get(1));
            field.put("x-kubernetes-list-type", "map");
            field.putArray("x-kubernetes-list-map-keys").add(key);
            require((ObjectNode) field.get("items"), key);
        }
        if (name.equals("conditions")) {
            condition((ObjectNode) field.get("items"));
        }
        if (name.equals("distances")) {
            field.put("maxItems", 1024);
        }
        if (name.equals("message") || name.equals("why")) {
            field.put("maxLength", MESSAGE_LENGTH_MAX);
        }
    }

    /** As metav1.Condition is bounded. */
    private static void condition(ObjectNode schema) {
        property(schema, "lastTransitionTime").put("format", "date-time");
        property(schema, "observedGeneration").put("format", "int64").put("minimum", 0);
        property(schema, "reason").put("maxLength", 1024).put("minLength", 1).put("pattern", REASON_PATTERN);
        property(schema, "type").put("maxLength", 316).put("pattern", REASON_PATTERN);
        var states = property(schema, "status").putArray("enum");
        for (var state : ConditionStatus.values()) {
            states.add(state.name());
        }
    }

    private static ObjectNode property(ObjectNode schema, String name) {
        var property = schema.path("properties").path(name);
        if (!(property instanceof ObjectNode found)) {
            throw new IllegalStateException("The schema has no property " + name + ": " + schema.fieldNames());
        }
        return found;
    }

    private static void require(ObjectNode schema, String name) {
        var required = schema.withArray("required");
        for (var one : required) {
            if (one.asText().equals(name)) {
                return;
            }
        }
        required.add(name);
    }

    private static void intOrString(ObjectNode field) {
        field.remove("type");
        field.putArray("anyOf")
                .add(YAML.createObjectNode().put("type", "integer"))
                .add(YAML.createObjectNode().put("type", "string"));
        field.put("x-kubernetes-int-or-string", true).put("maxLength", QUANTITY_LENGTH_MAX);
    }

    private static ObjectNode rule(String cel, String messageCel) {
        return YAML.createObjectNode().put("rule", cel).put("messageExpression", messageCel);
    }

    /** The generator writes files only; what it says of an output that is none is an exception. */
    private static String generate(Class<? extends CustomResource<?, ?>> kind) {
        try {
            var folder = Files.createTempDirectory("crd");
            new CRDGenerator()
                    .customResourceClasses(kind)
                    .forCRDVersions("v1")
                    .inOutputDir(folder.toFile())
                    .generate();
            try (var files = Files.list(folder)) {
                var file = files.findFirst().orElseThrow();
                var text = Files.readString(file);
                Files.delete(file);
                Files.delete(folder);
                return text;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonNode parse(String yaml) {
        try {
            return YAML.readTree(yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
