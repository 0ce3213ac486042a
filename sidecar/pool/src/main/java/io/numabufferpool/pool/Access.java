package io.numabufferpool.pool;

/** What an attached process may do with the buffers. Everybody may write the control file. */
public enum Access {
    READ_WRITE,
    /** Buffers are mapped without PROT_WRITE: hits are served from the pool, a miss is read into memory of the session and not admitted. */
    READ_ONLY
}
