package io.numabufferpool.server.config;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.numabufferpool.crds.NumaBufferPoolSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A NumaBufferPool in a YAML file, the same as one would apply to a cluster.
 *
 * @param name metadata.name
 * @param namespace metadata.namespace, {@code default} where absent
 * @param spec checked, with its defaults
 */
public record PoolFile(String name, String namespace, NumaBufferPoolSpec spec) {
    private static final String API_VERSION = "numabufferpool.io/v1alpha1";
    private static final String KIND = "NumaBufferPool";

    /** A resource in etcd cannot be longer either; a larger file is another file. */
    private static final long FILE_BYTES_MAX = 1536 << 10;

    /** As the API server wants names; it also becomes part of a folder's name. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

    private static final Set<String> TOP_FIELDS = Set.of("apiVersion", "kind", "metadata", "spec", "status");

    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** Reads and checks it. @throws InvalidSettings with the file's name and what is wrong in it */
    public static PoolFile read(Path file) {
        var source = file.toString();
        var root = document(file, source);
        root.fieldNames().forEachRemaining(field -> {
            if (!TOP_FIELDS.contains(field)) {
                throw new InvalidSettings(source + ": unknown field " + field
                        + "; a NumaBufferPool has apiVersion, kind, metadata and spec.");
            }
        });
        expect(source, root, "apiVersion", API_VERSION);
        expect(source, root, "kind", KIND);
        var name = root.path("metadata").path("name").asText("");
        if (!NAME.matcher(name).matches()) {
            throw new InvalidSettings(source + ": metadata.name: \"" + name
                    + "\" is not a name of lower-case letters, digits, '-' and '.', such as \"orders\".");
        }
        var namespace = root.path("metadata").path("namespace").asText("default");
        if (!root.path("spec").isObject()) {
            throw new InvalidSettings(source + ": spec is missing; the least is spec.size, such as \"size: 1Gi\".");
        }
        return new PoolFile(name, namespace, PoolSpecReader.read(root.path("spec"), source));
    }

    private static JsonNode document(Path file, String source) {
        var documents = new ArrayList<JsonNode>();
        try {
            long bytes = Files.size(file);
            if (bytes > FILE_BYTES_MAX) {
                throw new InvalidSettings(
                        source + " has " + bytes + " bytes; a NumaBufferPool has at most " + FILE_BYTES_MAX + ".");
            }
            try (var values = YAML.readerFor(JsonNode.class).<JsonNode>readValues(file.toFile())) {
                while (values.hasNextValue()) {
                    documents.add(values.nextValue());
                }
            }
        } catch (java.nio.file.NoSuchFileException absent) {
            throw new InvalidSettings("There is no file " + source + ".");
        } catch (JsonProcessingException malformed) {
            var at = malformed.getLocation();
            var where = at == null ? "" : " line " + at.getLineNr() + ", column " + at.getColumnNr();
            var problem = String.valueOf(malformed.getOriginalMessage())
                    .lines()
                    .findFirst()
                    .orElse("");
            throw new InvalidSettings(source + where + ": not YAML: " + problem + ".");
        } catch (IOException unreadable) {
            throw new InvalidSettings("Reading " + source + " failed: " + unreadable + ".");
        }
        if (documents.size() != 1 || !documents.getFirst().isObject()) {
            throw new InvalidSettings(
                    source + " has " + documents.size() + " documents; it must be exactly one NumaBufferPool.");
        }
        return documents.getFirst();
    }

    private static void expect(String source, JsonNode root, String field, String value) {
        var found = root.path(field).asText("");
        if (!found.equals(value)) {
            throw new InvalidSettings(
                    source + ": " + field + " is \"" + found + "\"; this program serves " + field + " " + value + ".");
        }
    }
}
