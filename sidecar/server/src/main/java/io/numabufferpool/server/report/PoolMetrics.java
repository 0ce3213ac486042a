package io.numabufferpool.server.report;

import io.numabufferpool.crds.NumaNodeUsage;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** A status document as metrics. Pure; the names are those of the API's fields. */
public final class PoolMetrics {
    private PoolMetrics() {}

    /** For {@code /q/metrics}. Every metric has the label {@code pool}, those of a node {@code numa_node}. */
    public static MetricSnapshots of(StatusDocument document) {
        var metrics = new ArrayList<MetricSnapshot>();
        metrics.add(nodeGauge(
                document, "wanted_bytes", "Bytes of buffers decided for this NUMA node.", NumaNodeUsage::wantedBytes));
        metrics.add(nodeGauge(
                document,
                "placed_bytes",
                "Bytes of buffers on this NUMA node, as the kernel counts.",
                NumaNodeUsage::placedBytes));
        metrics.add(nodeGauge(
                document,
                "spilled_bytes",
                "Those of them that were decided for another NUMA node.",
                NumaNodeUsage::spilledBytes));
        metrics.add(nodeGauge(document, "huge_bytes", "Those of them in huge pages.", NumaNodeUsage::hugeBytes));
        metrics.add(nodeGauge(document, "buffers", "Buffers on this NUMA node.", NumaNodeUsage::bufferCount));
        metrics.add(nodeGauge(document, "buffers_used", "Buffers that hold a block.", NumaNodeUsage::buffersUsed));
        metrics.add(nodeGauge(document, "buffers_dirty", "Buffers that differ from their file.", NumaNodeUsage::dirty));
        metrics.add(nodeGauge(document, "buffers_pinned", "Buffers that a session holds.", NumaNodeUsage::pinned));
        metrics.add(nodeCounter(document, "hits", "Look-ups answered from the pool.", NumaNodeUsage::hits));
        metrics.add(nodeCounter(document, "misses", "Blocks that were read into the pool.", NumaNodeUsage::misses));
        metrics.add(nodeCounter(document, "evictions", "Blocks that made room for another.", NumaNodeUsage::evictions));
        metrics.add(traffic(document));
        metrics.add(gauge(
                document, "clients", "Attached processes.", document.clients().size()));
        metrics.add(gauge(document, "slots_leased", "Slots in use.", document.slotsLeased()));
        metrics.add(gauge(document, "slots", "All slots.", document.slotCount()));
        metrics.add(phase(document));
        return new MetricSnapshots(metrics);
    }

    private static String name(String suffix) {
        return "numapool_" + suffix;
    }

    private static MetricSnapshot nodeGauge(
            StatusDocument document, String name, String help, ToLongFunction<NumaNodeUsage> value) {
        var metric = GaugeSnapshot.builder().name(name(name)).help(help);
        for (var row : document.status().numaNodes()) {
            metric.dataPoint(GaugeDataPointSnapshot.builder()
                    .labels(nodeLabels(document, row.numaNode()))
                    .value((double) value.applyAsLong(row))
                    .build());
        }
        return metric.build();
    }

    private static MetricSnapshot nodeCounter(
            StatusDocument document, String name, String help, ToLongFunction<NumaNodeUsage> value) {
        var metric = CounterSnapshot.builder().name(name(name)).help(help);
        for (var row : document.status().numaNodes()) {
            metric.dataPoint(CounterDataPointSnapshot.builder()
                    .labels(nodeLabels(document, row.numaNode()))
                    .value((double) value.applyAsLong(row))
                    .build());
        }
        return metric.build();
    }

    private static MetricSnapshot traffic(StatusDocument document) {
        var metric = CounterSnapshot.builder()
                .name(name("traffic_hits"))
                .help("Hits by the NUMA node of the client and of the buffer; -1: no single node.");
        for (var cell : document.traffic()) {
            metric.dataPoint(CounterDataPointSnapshot.builder()
                    .labels(Labels.of(
                            "pool",
                            document.pool(),
                            "client_numa_node",
                            Integer.toString(cell.clientNode()),
                            "buffer_numa_node",
                            Integer.toString(cell.bufferNode())))
                    .value((double) cell.hits())
                    .build());
        }
        return metric.build();
    }

    private static MetricSnapshot gauge(StatusDocument document, String name, String help, long value) {
        return GaugeSnapshot.builder()
                .name(name(name))
                .help(help)
                .dataPoint(GaugeDataPointSnapshot.builder()
                        .labels(Labels.of("pool", document.pool()))
                        .value((double) value)
                        .build())
                .build();
    }

    private static MetricSnapshot phase(StatusDocument document) {
        var labels = Labels.of(
                "pool", document.pool(), "phase", document.status().phase().name());
        return GaugeSnapshot.builder()
                .name(name("phase"))
                .help("1 for the phase the segment is in.")
                .dataPoint(
                        GaugeDataPointSnapshot.builder().labels(labels).value(1).build())
                .build();
    }

    private static Labels nodeLabels(StatusDocument document, int numaNode) {
        return Labels.of(List.of("pool", "numa_node"), List.of(document.pool(), Integer.toString(numaNode)));
    }
}
