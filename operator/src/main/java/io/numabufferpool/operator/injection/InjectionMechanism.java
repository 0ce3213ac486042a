package io.numabufferpool.operator.injection;

/** Who adds the sidecar to a pod. The names are the chart's. */
public enum InjectionMechanism {
    /** The API server, by the chart's MutatingAdmissionPolicy. */
    Policy,
    /** This operator, asked by the API server through the chart's MutatingWebhookConfiguration. */
    Webhook
}
