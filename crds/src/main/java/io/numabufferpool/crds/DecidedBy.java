package io.numabufferpool.crds;

/** Who made the decision in force. */
public enum DecidedBy {
    /** The operator. */
    Operator,
    /** The sidecar itself, by the same function, because the operator did not answer in time. */
    Sidecar
}
