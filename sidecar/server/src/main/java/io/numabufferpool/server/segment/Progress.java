package io.numabufferpool.server.segment;

/** Told how far a long piece of work is. Called by several threads. */
public interface Progress {
    /** For work that nobody watches. */
    Progress SILENT = (step, doneBytes, totalBytes) -> {};

    /** {@code step} is a word such as {@code prefault}; the last call of a step has {@code doneBytes == totalBytes}. */
    void advanced(String step, long doneBytes, long totalBytes);
}
