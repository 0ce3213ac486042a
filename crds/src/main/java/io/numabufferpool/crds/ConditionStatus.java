package io.numabufferpool.crds;

/** Status of a condition; the names are the API's words. */
public enum ConditionStatus {
    /** It is so. */
    True,
    /** It is not. */
    False,
    /** Nobody knows yet. */
    Unknown
}
