package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import org.jspecify.annotations.Nullable;

/**
 * Which pod. Immutable.
 *
 * @param namespace of pod, pool and placement
 * @param name of the pod
 * @param uid of the pod
 * @param kubeNode the Kubernetes node it runs on
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PodReference(
        @JsonPropertyDescription("Namespace of the pod.") String namespace,
        @JsonPropertyDescription("Name of the pod.") String name,
        @JsonPropertyDescription("Its uid.") String uid,

        @JsonPropertyDescription("The Kubernetes node it runs on.") @Nullable
        String kubeNode) {}
