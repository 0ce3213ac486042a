package io.numabufferpool.operator.placement;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Since when sidecars have been silent, as this replica saw it. Thread-safe; remembers only those that are silent now. */
final class Silences {
    /** What was not looked at for this long is gone: a deleted placement is looked at no more. */
    private static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(10);

    private final Clock clock;
    private final Map<String, Silence> silences = new HashMap<>();

    private record Silence(Instant since, Instant lastLook) {}

    Silences(Clock clock) {
        this.clock = clock;
    }

    /** Notes what was just seen of a placement; how long it has been silent, zero where it is not. */
    synchronized Duration note(String uid, boolean silent) {
        var now = clock.instant();
        silences.values().removeIf(silence -> silence.lastLook().isBefore(now.minus(FORGOTTEN_AFTER)));
        if (!silent) {
            silences.remove(uid);
            return Duration.ZERO;
        }
        var known = silences.get(uid);
        var since = known == null ? now : known.since();
        silences.put(uid, new Silence(since, now));
        return Duration.between(since, now);
    }
}
