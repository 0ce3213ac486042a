package io.numabufferpool.operator.cluster;

/** Fixed names: each is also written in the chart, in its roles and in its policies. */
public final class ResourceNames {
    /** The Secret with the authority and the serving credential, in the operator's own namespace. */
    public static final String TLS_SECRET = "numa-buffer-pool-operator-tls";

    /** The ConfigMap with the authority's certificate, in every namespace with a pool. */
    public static final String CA_CONFIG_MAP = "numa-buffer-pool-ca";

    /** The ConfigMap's key; the sidecar reads it as {@code /var/run/secrets/numabufferpool.io/ca.crt}. */
    public static final String CA_KEY = "ca.crt";

    /** The lease of the elected replica, in the operator's own namespace. */
    public static final String LEASE = "numa-buffer-pool-operator";

    /** The native sidecar that injection adds to a pod, its first init container. */
    public static final String SIDECAR = "numa-buffer-pool";

    private ResourceNames() {}
}
