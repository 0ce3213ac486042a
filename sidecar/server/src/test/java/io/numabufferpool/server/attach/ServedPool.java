package io.numabufferpool.server.attach;

import io.numabufferpool.client.attach.AttachAccess;
import io.numabufferpool.client.attach.AttachProtocol;
import io.numabufferpool.layout.LayoutVersion;
import io.numabufferpool.layout.PartitionShape;
import io.numabufferpool.layout.SegmentLayout;
import io.numabufferpool.linux.JnaLinux;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.Mapping;
import io.numabufferpool.linux.OpenMode;
import io.numabufferpool.linux.Protection;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.pool.Access;
import io.numabufferpool.pool.BufferPool;
import io.numabufferpool.pool.PoolOptions;
import io.numabufferpool.pool.SegmentFormatter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.List;
import java.util.Random;

/**
 * Fixture: what a sidecar is to clients, with the real socket, reaper and segment but without placement. It takes over a segment that
 * is in the folder, as a restarted sidecar does; its {@link #main} is one that can be killed.
 */
public final class ServedPool implements AutoCloseable {
    public static final int BUFFER_BYTES = 4096;
    private static final long MAPPING_ALIGNMENT_BYTES = 2 << 20;

    final Linux linux = new JnaLinux();
    final Path folder;
    final BufferPool pool;
    final AttachServer server;
    final SlotReaper reaper;
    private final LinuxFile control;
    private final LinuxFile buffers;
    private final Mapping controlMapping;
    private final Mapping buffersMapping;

    private ServedPool(Path folder, int bufferCount, int slotCount, AttachAccess access, CpuSet advisedCpus)
            throws IOException {
        this.folder = folder;
        Files.createDirectories(attachFolder());
        var layout = layout(bufferCount, slotCount);
        boolean adopt = Files.exists(folder.resolve("control"));
        control = file("control", layout.controlBytes());
        buffers = file("buffers", layout.buffersBytes());
        controlMapping = linux.map(control, 0, layout.controlBytes(), Protection.READ_WRITE, MAPPING_ALIGNMENT_BYTES);
        buffersMapping = linux.map(buffers, 0, layout.buffersBytes(), Protection.READ_WRITE, MAPPING_ALIGNMENT_BYTES);
        if (!adopt) {
            SegmentFormatter.format(controlMapping.memory(), layout, new Random().nextLong() | 1, 0);
        }
        pool = BufferPool.attach(
                controlMapping.memory(),
                buffersMapping.memory(),
                linux,
                AttachProtocol.SIDECAR_NUMBER,
                Access.READ_WRITE,
                PoolOptions.defaults());
        reaper = SlotReaper.start(linux, attachFolder(), SlotHolders.of(pool.reaper()), (dead, found) -> {});
        server = AttachServer.start(linux, attachFolder(), this::status, events(), Clock.systemUTC());
        server.publish(new ServedSegment(
                control,
                buffers,
                pool.segmentGeneration(),
                layout.controlBytes(),
                layout.buffersBytes(),
                LayoutVersion.MAJOR,
                LayoutVersion.MINOR,
                access,
                advisedCpus));
    }

    static ServedPool of(Path folder, int bufferCount, int slotCount, AttachAccess access) throws IOException {
        return new ServedPool(folder, bufferCount, slotCount, access, CpuSet.empty());
    }

    /** Whose clients are told to run on these CPUs. */
    static ServedPool advising(Path folder, int bufferCount, CpuSet cpus) throws IOException {
        return new ServedPool(folder, bufferCount, 16, AttachAccess.READ_WRITE, cpus);
    }

    public static ServedPool of(Path folder, int bufferCount) throws IOException {
        return of(folder, bufferCount, 16, AttachAccess.READ_WRITE);
    }

    private static SegmentLayout layout(int bufferCount, int slotCount) {
        var shape = new PartitionShape(PartitionShape.NO_SINGLE_NODE, 0, bufferCount, bufferCount);
        return SegmentLayout.of(List.of(shape), BUFFER_BYTES, (long) bufferCount * BUFFER_BYTES, slotCount);
    }

    private LinuxFile file(String name, long bytes) {
        var file = linux.open(folder.resolve(name), OpenMode.CREATE, 0600);
        linux.setLength(file, bytes);
        return file;
    }

    public Path attachFolder() {
        return folder.resolve("attach");
    }

    private String status() {
        return "clients "
                + server.clients().stream().map(AttachedClient::number).toList();
    }

    private AttachEvents events() {
        return new AttachEvents() {
            @Override
            public void attached(AttachedClient client) {}

            @Override
            public void ended(AttachedClient client) {
                reaper.connectionEnded(client.number());
            }
        };
    }

    int slotsLeased() {
        return pool.readStatistics().slotsLeased();
    }

    long buffersPinned() {
        return pool.readStatistics().numaNodes().stream()
                .mapToLong(node -> node.buffers().pinned())
                .sum();
    }

    /** A folder on tmpfs that any uid may search. */
    public static Path newFolder() throws IOException {
        return Files.createTempDirectory(
                Path.of("/dev/shm"),
                "numapool-test",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    }

    /** Arguments: folder, number of buffers. Serves until it is killed. */
    public static void main(String[] arguments) throws Exception {
        try (var served = of(Path.of(arguments[0]), Integer.parseInt(arguments[1]))) {
            System.out.println("serving " + served.pool.segmentGeneration());
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    @Override
    public void close() {
        server.close();
        reaper.close();
        controlMapping.close();
        buffersMapping.close();
        control.close();
        buffers.close();
    }
}
