package io.numabufferpool.operator.injection;

import static io.numabufferpool.operator.injection.SidecarTemplate.ATTACH_FOLDER;
import static io.numabufferpool.operator.injection.SidecarTemplate.ATTACH_VOLUME;
import static io.numabufferpool.operator.injection.SidecarTemplate.CONTAINER;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * What a labelled pod lacks, as a JSON Patch (RFC 6902). It works on the API server's JSON, because a pod may have fields that
 * no model here knows; nothing of the user's is reordered, merged or dropped. Pure.
 */
final class PodInjection {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String GENERATION = "numabufferpool.io~1pool-generation";
    private static final String MIRROR = "kubernetes.io/config.mirror";
    private static final String VARIABLE = "NUMAPOOL_ATTACH";

    private final JsonNode pod;
    private final PoolParameters pool;
    private final SidecarTemplate template;
    private final ArrayNode patch = NODES.arrayNode();

    private PodInjection(JsonNode pod, PoolParameters pool, InjectionSettings settings) {
        this.pod = pod;
        this.pool = pool;
        this.template = new SidecarTemplate(pool, settings);
    }

    /** The patch for {@code pod}; empty where it is left as it is: the guard refuses it then, with a sentence. */
    static ArrayNode patch(JsonNode pod, JsonNode pool, InjectionSettings settings) {
        var injection = new PodInjection(pod, new PoolParameters(pool), settings);
        if (injection.isMirror() || injection.bringsSomethingOfOurName()) {
            return NODES.arrayNode();
        }
        return injection.patch();
    }

    /** A kubelet's picture of a static pod, which runs already. */
    private boolean isMirror() {
        return pod.at("/metadata/annotations").has(MIRROR);
    }

    private boolean bringsSomethingOfOurName() {
        return containers().anyMatch(container -> name(container).equals(CONTAINER))
                || elements(pod.at("/spec/volumes"))
                        .anyMatch(volume -> name(volume).startsWith(CONTAINER + "-"))
                || containers()
                        .flatMap(container -> elements(container.path("volumeMounts")))
                        .anyMatch(
                                mount -> isAtAttachFolder(mount) && !name(mount).equals(ATTACH_VOLUME));
    }

    private ArrayNode patch() {
        boolean guaranteed = PodClass.isGuaranteed(pod);
        attach("containers");
        attach("initContainers");
        addMissingList("/spec/volumes");
        template.volumes().forEach(volume -> add("/spec/volumes/-", tree(volume)));
        if (pod.at("/metadata/annotations").isMissingNode()) {
            add("/metadata/annotations", NODES.objectNode());
        }
        add("/metadata/annotations/" + GENERATION, NODES.textNode(pool.generation()));
        // Last, because it moves the user's init containers by one.
        addMissingList("/spec/initContainers");
        add("/spec/initContainers/0", tree(template.container(guaranteed)));
        return patch;
    }

    /** The application's containers see the attach directory, and are told where it is. */
    private void attach(String list) {
        int index = 0;
        for (var container : pod.path("spec").path(list)) {
            var path = "/spec/" + list + "/" + index;
            index++;
            if (!pool.selects(name(container))) {
                continue;
            }
            if (container.path("volumeMounts").isMissingNode()) {
                add(path + "/volumeMounts", NODES.arrayNode());
            }
            if (elements(container.path("volumeMounts")).noneMatch(PodInjection::isAtAttachFolder)) {
                add(path + "/volumeMounts/-", tree(SidecarTemplate.attachMount()));
            }
            if (container.path("env").isMissingNode()) {
                add(path + "/env", NODES.arrayNode());
            }
            if (elements(container.path("env"))
                    .noneMatch(variable -> name(variable).equals(VARIABLE))) {
                add(path + "/env/-", NODES.objectNode().put("name", VARIABLE).put("value", ATTACH_FOLDER));
            }
        }
    }

    private void addMissingList(String path) {
        if (pod.at(path).isMissingNode()) {
            add(path, NODES.arrayNode());
        }
    }

    private void add(String path, JsonNode value) {
        patch.addObject().put("op", "add").put("path", path).set("value", value);
    }

    private Stream<JsonNode> containers() {
        return Stream.concat(elements(pod.at("/spec/containers")), elements(pod.at("/spec/initContainers")));
    }

    private static Stream<JsonNode> elements(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false);
    }

    private static String name(JsonNode named) {
        return named.path("name").asText();
    }

    private static boolean isAtAttachFolder(JsonNode mount) {
        return mount.path("mountPath").asText().equals(ATTACH_FOLDER);
    }

    private static JsonNode tree(Object model) {
        return JSON.valueToTree(model);
    }
}
