package io.numabufferpool.crds;

/** The names by which the Kubernetes API knows both kinds. */
public final class ApiGroup {
    /** Group of both kinds. */
    public static final String NAME = "numabufferpool.io";

    /** The only version so far. */
    public static final String VERSION = "v1alpha1";

    /** {@code apiVersion} of both kinds. */
    public static final String API_VERSION = NAME + "/" + VERSION;

    private ApiGroup() {}
}
