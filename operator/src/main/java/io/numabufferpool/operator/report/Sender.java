package io.numabufferpool.operator.report;

/** The pod a report comes from, as the API server vouches for it: never what the report itself says. Immutable. */
public record Sender(String namespace, String podName, String podUid) {
    @Override
    public String toString() {
        return namespace + "/" + podName;
    }
}
