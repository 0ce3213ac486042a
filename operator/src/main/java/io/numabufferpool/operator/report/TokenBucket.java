package io.numabufferpool.operator.report;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * A limit of events in a time: up to {@code capacity} at once, refilled evenly. Thread-safe. A clock that is set back
 * refills nothing until it has caught up.
 */
final class TokenBucket {
    private final double capacity;
    private final double perSecond;
    private final Clock clock;
    private double tokens;
    private Instant refilledAt;

    TokenBucket(int capacity, double perSecond, Clock clock) {
        this.capacity = capacity;
        this.perSecond = perSecond;
        this.clock = clock;
        this.tokens = capacity;
        this.refilledAt = clock.instant();
    }

    /** Takes one token if there is one. */
    synchronized boolean tryTake() {
        refill();
        if (tokens < 1) {
            return false;
        }
        tokens -= 1;
        return true;
    }

    private void refill() {
        var now = clock.instant();
        var passed = Duration.between(refilledAt, now);
        if (passed.isPositive()) {
            tokens = Math.min(capacity, tokens + passed.toNanos() / 1e9 * perSecond);
            refilledAt = now;
        }
    }
}
