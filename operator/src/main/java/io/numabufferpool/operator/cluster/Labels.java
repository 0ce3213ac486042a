package io.numabufferpool.operator.cluster;

/** Labels, annotations and field managers that the operator, the chart and the users agree on. */
public final class Labels {
    /** On a pod: the name of the pool it asks for. On a NumaPlacement: the pool it belongs to. */
    public static final String POOL = "numabufferpool.io/pool";

    /** On a pod, set by injection: the pool's {@code metadata.generation} that the sidecar was injected from. */
    public static final String POOL_GENERATION = "numabufferpool.io/pool-generation";

    /** On what the operator makes: who looks after it. */
    public static final String MANAGED_BY = "app.kubernetes.io/managed-by";

    /** The value of {@link #MANAGED_BY}, and the field manager of every server-side apply. */
    public static final String OPERATOR = "numa-buffer-pool-operator";

    private Labels() {}
}
