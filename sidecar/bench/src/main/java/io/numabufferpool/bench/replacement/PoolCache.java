package io.numabufferpool.bench.replacement;

import io.numabufferpool.layout.PartitionShape;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.pool.Access;
import io.numabufferpool.pool.BlockLoader;
import io.numabufferpool.pool.BufferPool;
import io.numabufferpool.pool.PoolOptions;
import io.numabufferpool.pool.PoolSession;
import io.numabufferpool.pool.SegmentFormatter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** The pool itself, with small buffers that nothing is read into: what decides is its own code. */
final class PoolCache implements BlockCache, AutoCloseable {
    private static final int BUFFER_BYTES = 512;
    private static final int SPACE = 1;
    private static final int SLOTS = 8;

    private final Arena arena = Arena.ofShared();
    private final List<PoolSession> sessions = new ArrayList<>();
    private final boolean[] missed = new boolean[1];
    private final BlockLoader loader = (target, block) -> missed[0] = true;
    private int next;

    /** @param sessionCount sessions that take turns, a reference each */
    PoolCache(int size, int sessionCount) {
        long bytes = (long) size * BUFFER_BYTES;
        var shape = new PartitionShape(PartitionShape.NO_SINGLE_NODE, 0, size, size);
        var layout = SegmentLayout.of(List.of(shape), BUFFER_BYTES, bytes, SLOTS, SLOTS, 4096);
        var control = arena.allocate(layout.controlBytes(), layout.pageBytes());
        var buffers = arena.allocate(layout.buffersBytes(), layout.pageBytes());
        SegmentFormatter.format(control, layout, 1, 0);
        var pool = BufferPool.attach(control, buffers, new JnaLinux(), 1, Access.READ_WRITE, PoolOptions.defaults());
        for (int i = 0; i < sessionCount; i++) {
            sessions.add(pool.openSession());
        }
    }

    @Override
    public boolean reference(long block) {
        var session = sessions.get(next);
        next = (next + 1) % sessions.size();
        missed[0] = false;
        try {
            session.unpin(session.pin(SPACE, block, loader));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return !missed[0];
    }

    @Override
    public void close() {
        sessions.forEach(PoolSession::close);
        arena.close();
    }
}
