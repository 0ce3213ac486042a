package io.numabufferpool.server.lifecycle;

import io.numabufferpool.client.attach.AttachAccess;
import io.numabufferpool.crds.Access;
import io.numabufferpool.crds.Phase;
import io.numabufferpool.crds.PlacementMapping;
import io.numabufferpool.crds.Reason;
import io.numabufferpool.layout.LayoutVersion;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxException;
import io.numabufferpool.linux.ObservationReader;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNode;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.placement.Observation;
import io.numabufferpool.placement.PlacementRequest;
import io.numabufferpool.pool.Reaper;
import io.numabufferpool.server.attach.AttachEvents;
import io.numabufferpool.server.attach.AttachServer;
import io.numabufferpool.server.attach.AttachedClient;
import io.numabufferpool.server.attach.ServedSegment;
import io.numabufferpool.server.attach.SlotHolders;
import io.numabufferpool.server.attach.SlotReaper;
import io.numabufferpool.server.config.ServeSettings;
import io.numabufferpool.server.http.HttpEndpoint;
import io.numabufferpool.server.lifecycle.SegmentMaker.Made;
import io.numabufferpool.server.lifecycle.SidecarState.Decision;
import io.numabufferpool.server.log.Log;
import io.numabufferpool.server.report.OperatorClient;
import io.numabufferpool.server.report.PoolMetrics;
import io.numabufferpool.server.report.Reporter;
import io.numabufferpool.server.segment.Progress;
import io.numabufferpool.server.segment.RangePlacement;
import io.numabufferpool.server.segment.SegmentFile;
import io.numabufferpool.server.segment.StopSignal;
import io.numabufferpool.server.segment.StopSignal.Stopped;
import io.numabufferpool.server.segment.UnusableSegment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One sidecar from its start to its end: the order of the steps, and what a failure of each means. For one thread. */
public final class Sidecar {
    /** A cpuset can change late (the static CPU manager) or later (in-place resize); a look costs a few small files. */
    private static final Duration WATCH_PERIOD = Duration.ofSeconds(10);

    /** Every so many looks the pages are counted, or at once after the allowed nodes changed: it walks the page tables. */
    private static final int LOOKS_PER_COUNT = 3;

    private final ServeSettings settings;
    private final Linux linux;
    private final PlacementRequest request;
    private final StateBoard board = new StateBoard();
    private final SidecarProcess process;
    private final Observer observer;
    private final SegmentMaker maker;
    private final StatusSource status;
    private final Verification verification;
    private final Optional<Reporter> reporter;
    private final SpecUpdates updates;
    private final StopSignal stop;
    private final Log log;
    private final Clock clock;
    private volatile @Nullable SlotReaper reaper;
    private volatile @Nullable SegmentKeeper keeping;

    public Sidecar(ServeSettings settings, Linux linux, Progress progress, StopSignal stop, Log log, Clock clock) {
        this.settings = settings;
        this.linux = linux;
        this.request = PlacementMapping.toRequest(settings.spec());
        this.observer = new Observer(new ObservationReader(linux), request);
        this.maker = new SegmentMaker(
                linux, settings.pool().generation(), settings.spec(), settings.folders(), progress, stop, log, clock);
        this.process = new SidecarProcess(clock);
        this.status = new StatusSource(settings, board, process, log, clock);
        this.verification = new Verification(settings.pool().name(), request, board, clock, this::judge);
        this.stop = stop;
        this.log = log;
        this.clock = clock;
        this.reporter = settings.operatorUrl()
                .map(url -> new Reporter(
                        new OperatorClient(url, settings.folders().credentials()),
                        status::report,
                        clock.millis(),
                        log));
        this.updates = new SpecUpdates(settings, log);
        reporter.ifPresent(operator -> operator.onAnswer(updates::answered));
        board.listen(new StateLog(log));
    }

    /** Runs until it is told to stop (true) or cannot do what it is for (false; the last line of the log says why). */
    public boolean run() {
        try (var http = new HttpEndpoint(
                        settings.httpPort(), status::health, () -> PoolMetrics.of(status.document()), log);
                var attach =
                        AttachServer.start(linux, settings.folders().attach(), status::json, new Events(), clock)) {
            log.info("HTTP answers", "port", http.start());
            status.attachedBy(attach);
            attach.verifiesBy(verification::json);
            return serve(attach);
        } catch (Stopped stopped) {
            log.info("stopped before the segment was published");
            return true;
        } catch (UnusableSegment unusable) {
            failed(new Problem(Reason.SegmentFailed, String.valueOf(unusable.getMessage())));
            log.error("the sidecar cannot serve", "reason", unusable.getMessage());
            return false;
        } catch (Patience.GaveUp | LinuxException | IOException | UncheckedIOException failed) {
            log.error("the sidecar cannot serve", "reason", failed.getMessage());
            return false;
        } catch (RuntimeException bug) {
            log.bug("the sidecar cannot serve, by a mistake in it", bug);
            return false;
        } finally {
            reporter.ifPresent(Reporter::close);
        }
    }

    private boolean serve(AttachServer attach) {
        var made = new Patience(stop, log).until(this::obtain, this::failed);
        try (var segment = made.segment()) {
            publish(attach, made);
            verification.begin(segment);
            reporter.ifPresent(Reporter::start);
            board.listen((before, now) -> reporter.ifPresent(Reporter::stateChanged));
            try (var started = SlotReaper.start(
                    linux,
                    settings.folders().attach(),
                    SlotHolders.of(segment.pool().reaper()),
                    this::reaped)) {
                reaper = started;
                watch(keeper(attach, made));
            } finally {
                verification.end();
                status.ends();
            }
            end(attach);
            return true;
        }
    }

    private void failed(Problem problem) {
        board.change(state -> state.failed(problem));
        reporter.ifPresent(Reporter::ask);
    }

    /** The segment that is there, or a new one. */
    private Made obtain() {
        var seen = observer.look(List.of());
        board.change(state -> state.at(Phase.Observing).observed(seen));
        var adopted = maker.adopt(seen);
        if (adopted.isPresent()) {
            process.readopted();
            log.info(
                    "took over the segment that was there",
                    "event",
                    Reason.SidecarReadopted,
                    "generation",
                    Long.toHexString(adopted.get().segment().generation()));
            return adopted.get();
        }
        board.change(state -> state.at(Phase.Deciding));
        var decision = new Decider(request, reporter, stop, log).decide(seen);
        board.change(state -> state.decided(decision).at(Phase.Placing));
        return maker.make(seen, decision);
    }

    private void publish(AttachServer attach, Made made) {
        var segment = made.segment();
        var files = segment.files();
        var seen = observer.look(made.placed().ranges());
        status.serves(segment.pool());
        attach.publish(served(segment, seen, made.decision().placement().numaNodes()));
        if (!made.placed().collapse().ok()) {
            log.warn("not all pages could be made huge", "answer", made.placed().collapse());
        }
        var problem = problem(made.placed().ranges(), Reason.PlacementSpilled);
        board.change(state -> state.observed(seen)
                .decided(made.decision())
                .placed(made.placed().method(), made.placed().ranges())
                .serving(problem.isEmpty() ? Phase.Serving : Phase.Degraded, segment.generation(), problem));
        log.info(
                "segment published",
                "generation",
                Long.toHexString(segment.generation()),
                "bytes",
                files.buffersBytes(),
                "hugeBytes",
                made.placed().ranges().stream()
                        .mapToLong(RangePlacement::hugeBytes)
                        .sum(),
                "method",
                made.placed().method(),
                "attach",
                settings.folders().attach());
    }

    private ServedSegment served(LiveSegment segment, Observation seen, NumaNodeSet numaNodes) {
        var files = segment.files();
        return new ServedSegment(
                files.control(),
                files.buffers(),
                segment.generation(),
                files.controlBytes(),
                files.buffersBytes(),
                LayoutVersion.MAJOR,
                LayoutVersion.MINOR,
                settings.spec().access() == Access.ReadOnly ? AttachAccess.READ_ONLY : AttachAccess.READ_WRITE,
                advisedCpus(seen, numaNodes));
    }

    private SegmentKeeper keeper(AttachServer attach, Made made) {
        var keeper = new SegmentKeeper(
                linux,
                maker,
                made,
                verification,
                board,
                this::decideAgain,
                status::follows,
                placement -> board.state()
                        .observation()
                        .ifPresent(seen -> attach.advise(advisedCpus(seen, placement.numaNodes()))),
                stop,
                log);
        // The environment of a restarted sidecar may be older than what its segment follows; an edited file is newer.
        if (settings.poolFile().isPresent()) {
            keeper.specChanged(settings.pool().generation(), settings.spec());
        }
        return keeper;
    }

    private Decision decideAgain(PlacementRequest wanted, Observation seen) {
        board.change(state -> state.observed(seen));
        status.asksForDecision(true);
        try {
            return new Decider(wanted, reporter, stop, log).decide(seen.withFree(ownBytes()));
        } finally {
            status.asksForDecision(false);
        }
    }

    /** What the segment has now, and would give back first. */
    private Map<Integer, Long> ownBytes() {
        var bytes = new TreeMap<Integer, Long>();
        board.state().ranges().stream()
                .filter(range -> range.range().file() == SegmentFile.BUFFERS)
                .forEach(range -> range.placedBytes().forEach((node, placed) -> bytes.merge(node, placed, Long::sum)));
        return bytes;
    }

    /** Under bindCpus: those of the nodes that hold the segment; none where they have none. */
    private CpuSet advisedCpus(Observation seen, NumaNodeSet numaNodes) {
        if (!settings.spec().placement().bindCpus()) {
            return CpuSet.empty();
        }
        return seen.topology().numaNodes().stream()
                .filter(node -> numaNodes.contains(node.index()))
                .map(NumaNode::cpus)
                .reduce(CpuSet.empty(), CpuSet::or);
    }

    /** What is wrong with where the pages are. */
    private static Optional<Problem> problem(List<RangePlacement> ranges, Reason reason) {
        if (ranges.stream().allMatch(RangePlacement::asWanted)) {
            return Optional.empty();
        }
        return Optional.of(
                new Problem(
                        reason,
                        RangePlacement.describe(ranges)
                                + ". Free memory on the wanted nodes and restart the pod, or name other nodes in spec.placement.nodes."));
    }

    private void watch(SegmentKeeper keeper) {
        keeping = keeper;
        int looks = 0;
        while (!stop.await(WATCH_PERIOD)) {
            var before = board.state();
            var seen = observer.look(before.ranges());
            looks++;
            boolean narrowed = !before.observation()
                    .map(old -> old.memsAllowed().equals(seen.memsAllowed()))
                    .orElse(false);
            if (narrowed) {
                log.warn("the container's NUMA nodes changed", "memsAllowed", seen.memsAllowed());
            }
            board.change(state -> state.observed(seen));
            updates.next().ifPresent(update -> keeper.specChanged(update.generation(), update.spec()));
            try {
                keeper.look(seen);
            } catch (Stopped stopped) {
                log.info("stopped in the middle of a move; the next sidecar goes on with it");
                return;
            }
            if (looks % LOOKS_PER_COUNT == 0 || narrowed) {
                verification.count();
            }
        }
    }

    private void judge(List<RangePlacement> ranges) {
        if (board.state().phase() == Phase.Replacing) {
            board.change(state -> state.placed(state.method().orElseThrow(), ranges));
            return;
        }
        var known = board.state().problem().map(Problem::reason);
        var keeper = keeping;
        var problem = problem(ranges, known.orElse(Reason.MovedByKernel))
                .or(() -> keeper == null ? Optional.empty() : keeper.problem());
        board.change(state -> state.placed(state.method().orElseThrow(), ranges)
                .serving(problem.isEmpty() ? Phase.Serving : Phase.Degraded, state.generation(), problem));
    }

    /** Clients work on without this process. Outside Kubernetes nobody starts it again, so unused memory goes back. */
    private void end(AttachServer attach) {
        if (settings.pod().isPresent()) {
            log.info("stopped; the segment stays for the next sidecar of this pod");
            return;
        }
        var clients = attach.clients();
        if (!clients.isEmpty()) {
            log.warn(
                    "stopped; the segment stays, because clients are attached",
                    "clients",
                    clients.size(),
                    "folder",
                    settings.folders().segment(),
                    "next",
                    "start serve again to take it over, or remove the folder after they have ended");
            return;
        }
        maker.creator().remove();
        log.info(
                "stopped; the segment was removed, nobody was attached",
                "folder",
                settings.folders().segment());
    }

    private void reaped(Set<Integer> clientNumbers, Reaper.Reaped reaped) {
        process.reaped(clientNumbers.size(), reaped);
        reporter.ifPresent(Reporter::stateChanged);
        log.info(
                "cleared what dead clients had left",
                "event",
                Reason.ClientReaped,
                "clients",
                clientNumbers,
                "slots",
                reaped.slots(),
                "pins",
                reaped.pins(),
                "buffersFreed",
                reaped.buffersFreed(),
                "buffersTorn",
                reaped.buffersTorn());
    }

    private final class Events implements AttachEvents {
        @Override
        public void attached(AttachedClient client) {
            log.info(
                    "client attached",
                    "client",
                    client.number(),
                    "name",
                    client.name(),
                    "uid",
                    client.uid(),
                    "cpusAllowed",
                    client.cpusAllowed(),
                    "memsAllowed",
                    client.memsAllowed());
            reporter.ifPresent(Reporter::stateChanged);
        }

        @Override
        public void ended(AttachedClient client) {
            log.info("client ended", "client", client.number(), "name", client.name(), "uid", client.uid());
            var looksAfterDead = reaper;
            if (looksAfterDead != null) {
                looksAfterDead.connectionEnded(client.number());
            }
        }
    }
}
