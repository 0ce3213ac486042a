package io.numabufferpool.chart;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What of a pod is injection's. Known by name, as a person would know it. */
final class InjectedParts {
    private static final String CONTAINER = "numa-buffer-pool";
    private static final String VARIABLE = "NUMAPOOL_ATTACH";
    private static final String ANNOTATION = "numabufferpool.io/pool-generation";

    private InjectedParts() {}

    static Optional<Container> sidecar(Pod pod) {
        return pod.getSpec().getInitContainers().stream()
                .filter(container -> container.getName().equals(CONTAINER))
                .findFirst();
    }

    static Optional<EnvVar> variable(Container container, String name) {
        return container.getEnv().stream()
                .filter(variable -> variable.getName().equals(name))
                .findFirst();
    }

    /** The pod without sidecar, volumes, mounts, annotation, label; a variable stays where the user's pod had it. */
    static Pod removedFrom(Pod injected, Pod asTheUserWroteIt) {
        var pod = new PodBuilder(injected).build();
        var spec = pod.getSpec();
        spec.getInitContainers().removeIf(container -> container.getName().equals(CONTAINER));
        spec.getVolumes().removeIf(volume -> volume.getName().startsWith(CONTAINER + "-"));
        for (var container : containers(pod)) {
            container.getVolumeMounts().removeIf(mount -> mount.getName().startsWith(CONTAINER + "-"));
            if (!hadVariable(asTheUserWroteIt, container.getName())) {
                container.getEnv().removeIf(variable -> variable.getName().equals(VARIABLE));
            }
        }
        pod.getMetadata().getAnnotations().remove(ANNOTATION);
        pod.getMetadata().getLabels().remove("numabufferpool.io/pool");
        return pod;
    }

    private static boolean hadVariable(Pod pod, String container) {
        return containers(pod).stream()
                .anyMatch(candidate -> candidate.getName().equals(container)
                        && variable(candidate, VARIABLE).isPresent());
    }

    private static List<Container> containers(Pod pod) {
        return Stream.concat(pod.getSpec().getContainers().stream(), pod.getSpec().getInitContainers().stream())
                .toList();
    }
}
