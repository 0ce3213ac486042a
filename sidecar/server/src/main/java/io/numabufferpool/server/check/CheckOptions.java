package io.numabufferpool.server.check;

import java.time.Duration;

/**
 * How to check.
 *
 * @param threads readers at once, 1 or more
 * @param randomTime how long to read at random, after every block was read once in order
 * @param freshSessions lease a new session for every few blocks, as programs of many short tasks do
 * @param seed of the random order
 */
public record CheckOptions(int threads, Duration randomTime, boolean freshSessions, long seed) {}
