package io.numabufferpool.operator.bufferpool;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.numabufferpool.operator.injection.InjectionMechanism;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Looks whether the chart's policy and its binding, or its webhook, are there; asks at most every 30 s. Thread-safe. */
public final class InjectionProbe {
    /** Somebody who deletes a policy reads about it within a minute; all pools share one look. */
    static final Duration REMEMBERED = Duration.ofSeconds(30);

    /** During an installation the policies come seconds after the operator. */
    static final Duration ABSENCE_REMEMBERED = Duration.ofSeconds(5);

    private static final ResourceDefinitionContext POLICIES =
            context("MutatingAdmissionPolicy", "mutatingadmissionpolicies");
    private static final ResourceDefinitionContext BINDINGS =
            context("MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings");
    private static final ResourceDefinitionContext WEBHOOKS =
            context("MutatingWebhookConfiguration", "mutatingwebhookconfigurations");

    private final KubernetesClient client;
    private final String name;
    private final InjectionMechanism mechanism;
    private final Clock clock;
    private @Nullable InjectionState last;
    private Instant lookedAt = Instant.MIN;

    /** Ready to use; {@code name}: of the policy and of its binding, or of the webhook. */
    public InjectionProbe(KubernetesClient client, String name, InjectionMechanism mechanism, Clock clock) {
        this.client = client;
        this.name = name;
        this.mechanism = mechanism;
        this.clock = clock;
    }

    private static ResourceDefinitionContext context(String kind, String plural) {
        return new ResourceDefinitionContext.Builder()
                .withGroup("admissionregistration.k8s.io")
                .withVersion("v1")
                .withKind(kind)
                .withPlural(plural)
                .withNamespaced(false)
                .build();
    }

    /** What is there, at most 30 s old. Throws where the API server does not answer. */
    synchronized InjectionState look() {
        var now = clock.instant();
        var known = last;
        if (known != null && now.isBefore(lookedAt.plus(known.active() ? REMEMBERED : ABSENCE_REMEMBERED))) {
            return known;
        }
        var seen = ask();
        last = seen;
        lookedAt = now;
        return seen;
    }

    private InjectionState ask() {
        if (mechanism == InjectionMechanism.Webhook) {
            return exists(WEBHOOKS)
                    ? InjectionState.complete()
                    : InjectionState.lacking("MutatingWebhookConfiguration " + name + " is missing");
        }
        if (!exists(POLICIES)) {
            return InjectionState.lacking("MutatingAdmissionPolicy " + name + " is missing");
        }
        if (!exists(BINDINGS)) {
            return InjectionState.lacking("MutatingAdmissionPolicyBinding " + name + " is missing");
        }
        return InjectionState.complete();
    }

    /** An API server that does not know the kind answers 404 as well. */
    private boolean exists(ResourceDefinitionContext kind) {
        try {
            return client.genericKubernetesResources(kind).withName(name).get() != null;
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }
}
