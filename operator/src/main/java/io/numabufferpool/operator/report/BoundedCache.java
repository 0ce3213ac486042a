package io.numabufferpool.operator.report;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A map that forgets the entry unused for longest when it is full. Thread-safe. */
final class BoundedCache<K, V> {
    private final Map<K, V> entries;

    BoundedCache(int entriesMax) {
        this.entries = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > entriesMax;
            }
        };
    }

    synchronized Optional<V> find(K key) {
        return Optional.ofNullable(entries.get(key));
    }

    synchronized void put(K key, V value) {
        entries.put(key, value);
    }

    synchronized void remove(K key) {
        entries.remove(key);
    }

    /** The known value, else the new one, which is kept. {@code make} is called under the lock: it must be quick. */
    synchronized V computeIfAbsent(K key, Function<K, V> make) {
        return entries.computeIfAbsent(key, make);
    }
}
