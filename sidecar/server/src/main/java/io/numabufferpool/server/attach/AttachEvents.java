package io.numabufferpool.server.attach;

/** What the attach server tells the rest of the sidecar. Called on its threads: be quick, throw nothing. */
public interface AttachEvents {
    /** A client's claim was checked. */
    void attached(AttachedClient client);

    /** A client's connection ended: it may be dead, or may have closed its attachment. */
    void ended(AttachedClient client);
}
