package io.numabufferpool.server.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * One thing that {@code numapool nodes} looked at before a pool is placed.
 *
 * @param verdict whether it does harm
 * @param name what was looked at, as the kernel names it
 * @param value what was found
 * @param why what it means for a pool
 * @param command what changes it; absent where nothing has to change
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Finding(
        Verdict verdict,
        String name,
        String value,
        String why,
        @Nullable String command) {
    enum Verdict {
        /** As it should be. */
        GOOD,
        /** Works, not as well as it could. */
        NOTE,
        /** Pages will move, or not get where they belong. */
        HARM
    }
}
