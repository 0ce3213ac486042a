package io.numabufferpool.server.config;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import io.numabufferpool.crds.NumaBufferPoolSpec;
import io.numabufferpool.crds.NumaBufferPoolSpecChecks;
import java.util.Collection;
import java.util.stream.Collectors;

/** From a tree of values to a checked spec. No API server looks at it before, so an unknown field is an error here. */
final class PoolSpecReader {
    private static final ObjectMapper MAPPER = new ObjectMapper().setAnnotationIntrospector(new EveryFieldCounts());

    /** The classes are read by the operator too, which must bear fields of newer releases; here they are typing errors. */
    private static final class EveryFieldCounts extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        @Override
        public JsonIgnoreProperties.Value findPropertyIgnoralByName(MapperConfig<?> config, Annotated annotated) {
            return JsonIgnoreProperties.Value.empty();
        }
    }

    private PoolSpecReader() {}

    /**
     * The spec with its defaults.
     *
     * @param source for messages, such as {@code pool.yaml}
     * @throws InvalidSettings naming the first field that is wrong, in the API server's words where it has a rule
     */
    static NumaBufferPoolSpec read(JsonNode tree, String source) {
        NumaBufferPoolSpec spec;
        try {
            spec = MAPPER.treeToValue(tree, NumaBufferPoolSpec.class);
        } catch (JsonMappingException wrong) {
            throw new InvalidSettings(source + ": " + describe(wrong));
        } catch (JsonProcessingException wrong) {
            throw new InvalidSettings(source + ": " + wrong.getOriginalMessage());
        }
        var problems = NumaBufferPoolSpecChecks.check(spec);
        if (!problems.isEmpty()) {
            throw new InvalidSettings(source + ": " + String.join(" ", problems));
        }
        return spec;
    }

    private static String describe(JsonMappingException wrong) {
        var path = "spec" + path(wrong);
        return switch (wrong) {
            case UnrecognizedPropertyException unknown ->
                "unknown field " + path + "; known there: " + known(unknown.getKnownPropertyIds()) + ".";
            case InvalidFormatException format
            when format.getTargetType().isEnum() ->
                path + ": \"" + format.getValue() + "\" is not one of "
                        + known(java.util.List.of(format.getTargetType().getEnumConstants())) + ".";
            case MismatchedInputException mismatched -> path + ": " + firstLine(mismatched.getOriginalMessage()) + ".";
            default -> path + ": " + firstLine(wrong.getOriginalMessage());
        };
    }

    private static String path(JsonMappingException wrong) {
        return wrong.getPath().stream()
                .map(step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : "." + step.getFieldName())
                .collect(Collectors.joining());
    }

    private static String known(Collection<?> names) {
        return names.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private static String firstLine(String message) {
        return message.lines().findFirst().orElse(message);
    }
}
