package io.numabufferpool.operator.bufferpool;

/**
 * Whether new pods get the sidecar. Immutable.
 *
 * @param active whether nothing is missing
 * @param missing what is missing, as half a sentence; empty where nothing is
 */
record InjectionState(boolean active, String missing) {
    static InjectionState complete() {
        return new InjectionState(true, "");
    }

    static InjectionState lacking(String missing) {
        return new InjectionState(false, missing);
    }
}
