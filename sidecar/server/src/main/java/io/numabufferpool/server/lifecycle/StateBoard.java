package io.numabufferpool.server.lifecycle;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** Holds the current state and tells who listens. Thread-safe; listeners are called on the changing thread, in order of changes. */
public final class StateBoard {
    /** Called after each change. Be quick, throw nothing. */
    public interface Listener {
        void changed(SidecarState before, SidecarState now);
    }

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private volatile SidecarState state = SidecarState.BEGIN;

    public SidecarState state() {
        return state;
    }

    public void listen(Listener listener) {
        listeners.add(listener);
    }

    synchronized void change(UnaryOperator<SidecarState> change) {
        var before = state;
        var now = change.apply(before);
        state = now;
        if (!now.equals(before)) {
            listeners.forEach(listener -> listener.changed(before, now));
        }
    }
}
