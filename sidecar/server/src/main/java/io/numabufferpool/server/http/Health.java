package io.numabufferpool.server.http;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The sidecar's health at one moment.
 *
 * @param started the segment is published and clients can attach: app containers may start
 * @param ready the same, and pages lie where they were decided to lie, or enforcement is BestEffort
 * @param data what a person wants to know beside it: the phase, and the reason and message where something is wrong
 */
public record Health(boolean started, boolean ready, Map<String, String> data) {
    public Health {
        data = Collections.unmodifiableMap(new LinkedHashMap<>(data));
    }
}
