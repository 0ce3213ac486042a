package io.numabufferpool.server.lifecycle;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numabufferpool.crds.NumaBufferPoolSpec;
import io.numabufferpool.crds.NumaPlacementDecision;
import io.numabufferpool.crds.PlacementMapping;
import io.numabufferpool.crds.PlacementReport;
import io.numabufferpool.crds.PodReference;
import io.numabufferpool.crds.PoolReference;
import io.numabufferpool.pool.BufferPool;
import io.numabufferpool.pool.PoolException;
import io.numabufferpool.pool.PoolStatistics;
import io.numabufferpool.server.attach.AttachServer;
import io.numabufferpool.server.attach.AttachedClient;
import io.numabufferpool.server.config.ServeSettings;
import io.numabufferpool.server.http.Health;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.report.Rounding;
import io.numabufferpool.server.report.StatusDocument;
import io.numabufferpool.server.report.StatusFactory;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Answers what the sidecar's state is, in each form that somebody asks for. Thread-safe. */
final class StatusSource {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ServeSettings settings;
    private final StateBoard board;
    private final SidecarProcess process;
    private final Log log;
    private final Clock clock;
    private volatile SpecInForce inForce;
    private volatile boolean asking;
    private volatile @Nullable BufferPool pool;
    private volatile @Nullable AttachServer attach;

    StatusSource(ServeSettings settings, StateBoard board, SidecarProcess process, Log log, Clock clock) {
        this.settings = settings;
        this.board = board;
        this.process = process;
        this.clock = clock;
        this.log = log;
        this.inForce = new SpecInForce(settings.pool(), settings.spec(), clock);
    }

    /** The spec that the segment follows now, and the pool's generation that it is from. */
    private record SpecInForce(PoolReference pool, NumaBufferPoolSpec spec, StatusFactory factory) {
        SpecInForce(PoolReference pool, NumaBufferPoolSpec spec, Clock clock) {
            this(pool, spec, new StatusFactory(spec, pool.generation(), clock));
        }
    }

    /** The segment follows another generation of the pool from now on. */
    void follows(long generation, NumaBufferPoolSpec spec) {
        var pool = settings.pool();
        inForce = new SpecInForce(new PoolReference(pool.name(), pool.uid(), generation), spec, clock);
    }

    /** While this is on, reports tell no decision: whoever takes one is asked for the next. */
    void asksForDecision(boolean on) {
        asking = on;
    }

    /** From now on answers have the pool's statistics. */
    void serves(BufferPool served) {
        pool = served;
    }

    /** From now on answers have the attached clients. */
    void attachedBy(AttachServer server) {
        attach = server;
    }

    /** The segment is about to be unmapped. */
    void ends() {
        pool = null;
    }

    private List<AttachedClient> clients() {
        var server = attach;
        return server == null ? List.of() : server.clients();
    }

    private Optional<PoolStatistics> statistics() {
        var served = pool;
        if (served == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(served.readStatistics());
        } catch (PoolException corrupt) {
            log.error("the pool's statistics cannot be read", "reason", corrupt.getMessage());
            return Optional.empty();
        }
    }

    /** What the operator gets: counters rounded, so that a report differs only where something happened. */
    synchronized PlacementReport report(long sequence) {
        var state = board.state();
        var pod = settings.pod().orElseThrow(() -> new IllegalStateException("reports are of pods"));
        var status = inForce.factory()
                .status(
                        state,
                        statistics().map(Rounding::of),
                        ClientTable.together(clients()),
                        process.status(),
                        sequence);
        return new PlacementReport(
                sequence,
                state.generationText().orElse(null),
                inForce.pool(),
                pod,
                asking ? null : decision(state),
                status);
    }

    private static @Nullable NumaPlacementDecision decision(SidecarState state) {
        return state.decision()
                .map(decision -> PlacementMapping.toApi(decision.placement(), decision.by()))
                .orElse(null);
    }

    /** Everything, exact. */
    synchronized StatusDocument document() {
        var state = board.state();
        var clients = clients();
        var statistics = statistics();
        var served = pool;
        var status = inForce.factory().status(state, statistics, ClientTable.together(clients), process.status(), 0);
        return new StatusDocument(
                settings.pool().name(),
                settings.pod().map(StatusSource::podName).orElse(null),
                PlacementMapping.toRequest(inForce.spec()).sizeBytes(),
                decision(state),
                status,
                clients.stream().map(client -> client(client, served)).toList(),
                served == null ? List.of() : traffic(served),
                statistics.map(PoolStatistics::slotsLeased).orElse(0),
                statistics
                        .map(PoolStatistics::slotCount)
                        .orElse(settings.spec().slots().max()),
                statistics.map(PoolStatistics::spacesRegistered).orElse(0));
    }

    private static String podName(PodReference pod) {
        return pod.namespace() + "/" + pod.name();
    }

    private static StatusDocument.Client client(AttachedClient client, @Nullable BufferPool served) {
        return new StatusDocument.Client(
                client.number(),
                client.name(),
                client.uid(),
                client.pid(),
                served == null ? 0 : served.slotsOf(client.number()),
                client.cpusAllowed().toString(),
                client.memsAllowed().toString(),
                client.since().toString());
    }

    private static List<StatusDocument.Traffic> traffic(BufferPool served) {
        return served.readTraffic().stream()
                .map(cell -> new StatusDocument.Traffic(cell.clientNode(), cell.bufferNode(), cell.hits()))
                .toList();
    }

    /** The document as it goes over the attach socket. */
    String json() {
        try {
            return JSON.writeValueAsString(document());
        } catch (JsonProcessingException bug) {
            throw new IllegalStateException("the status document cannot be written as JSON", bug);
        }
    }

    /** For the kubelet's probes: reads no statistics. */
    Health health() {
        var state = board.state();
        var data = new LinkedHashMap<String, String>();
        data.put("phase", state.phase().name());
        state.generationText().ifPresent(generation -> data.put("generation", generation));
        state.problem().ifPresent(problem -> {
            data.put("reason", problem.reason().name());
            data.put("message", problem.message());
        });
        return new Health(state.published(), state.published(), data);
    }
}
