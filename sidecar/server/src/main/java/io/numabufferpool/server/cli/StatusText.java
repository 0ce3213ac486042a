package io.numabufferpool.server.cli;

import io.numabufferpool.crds.NumaNodeUsage;
import io.numabufferpool.crds.PartitionUsage;
import io.numabufferpool.placement.ByteCount;
import io.numabufferpool.server.report.StatusDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A status document as text for a terminal of a given width. Pure: the same document gives the same lines. */
public final class StatusText {
    /** Below this width the per-node table is printed in two parts, one below the other. */
    private static final int WIDE_COLUMNS = 110;

    /** More rows than this say less than their sums; --json has all of them. */
    private static final int PARTITION_ROWS_MAX = 16;

    private final StatusDocument document;
    private final int columns;

    public StatusText(StatusDocument document, int columns) {
        this.document = document;
        this.columns = columns;
    }

    /** The lines, none longer than the width where the content allows it. */
    public List<String> lines() {
        var lines = new ArrayList<String>();
        addHead(lines);
        lines.add("");
        addNodes(lines);
        addTraffic(lines);
        addClients(lines);
        addPartitions(lines);
        return lines;
    }

    private void addHead(List<String> lines) {
        var status = document.status();
        var pod = document.pod() == null ? "" : "  pod " + document.pod();
        lines.add("pool " + document.pool() + pod + "  " + status.phase() + "  size "
                + ByteCount.render(document.size()));
        var decision = document.decision();
        if (decision != null) {
            lines.addAll(Paragraph.wrap(
                    decision.policy() + " on NUMA nodes " + decision.numaNodes() + " by "
                            + (status.method() == null ? decision.method() : status.method()) + ", decided by "
                            + decision.decidedBy() + ": " + decision.why(),
                    columns));
        }
        for (var condition : status.conditions()) {
            boolean fine = condition.isTrue() && !condition.reason().equals("SegmentDegraded");
            if (!fine) {
                lines.addAll(Paragraph.wrap(
                        condition.type() + "=" + condition.status() + " " + condition.reason() + ": "
                                + condition.message(),
                        columns));
            }
        }
    }

    private void addNodes(List<String> lines) {
        var rows = document.status().numaNodes();
        if (rows.isEmpty()) {
            lines.add("Nothing is placed yet.");
            return;
        }
        if (columns >= WIDE_COLUMNS) {
            lines.addAll(wideTable(rows));
            return;
        }
        lines.addAll(placementTable(rows));
        lines.add("");
        lines.addAll(usageTable(rows));
    }

    private static List<String> wideTable(List<NumaNodeUsage> rows) {
        var table = new TextTable(
                "NODE",
                "WANTED",
                "PLACED",
                "SPILLED",
                "HUGE",
                "USED",
                "DIRTY",
                "PINNED",
                "HITS",
                "MISSES",
                "EVICTIONS",
                "HIT RATIO");
        for (var row : withTotal(rows)) {
            table.row(
                    node(row),
                    bytes(row, row.wantedBytes()),
                    bytes(row, row.placedBytes()),
                    bytes(row, row.spilledBytes()),
                    bytes(row, row.hugeBytes()),
                    used(row),
                    row.dirty(),
                    row.pinned(),
                    row.hits(),
                    row.misses(),
                    row.evictions(),
                    ratio(row));
        }
        return table.lines();
    }

    private static List<String> placementTable(List<NumaNodeUsage> rows) {
        var table = new TextTable("NODE", "WANTED", "PLACED", "SPILLED", "HUGE", "USED");
        for (var row : withTotal(rows)) {
            table.row(
                    node(row),
                    bytes(row, row.wantedBytes()),
                    bytes(row, row.placedBytes()),
                    bytes(row, row.spilledBytes()),
                    bytes(row, row.hugeBytes()),
                    used(row));
        }
        return table.lines();
    }

    private static List<String> usageTable(List<NumaNodeUsage> rows) {
        var table = new TextTable("NODE", "DIRTY", "PINNED", "HITS", "MISSES", "EVICTIONS", "HIT RATIO");
        for (var row : withTotal(rows)) {
            table.row(node(row), row.dirty(), row.pinned(), row.hits(), row.misses(), row.evictions(), ratio(row));
        }
        return table.lines();
    }

    /** The number of the row that sums up the others. */
    private static final int TOTAL = Integer.MAX_VALUE;

    private static List<NumaNodeUsage> withTotal(List<NumaNodeUsage> rows) {
        if (rows.size() < 2) {
            return rows;
        }
        var all = new ArrayList<>(rows);
        var asOne = rows.stream().map(row -> numbered(row, TOTAL)).toList();
        all.addAll(NumaNodeUsage.total(asOne));
        return all;
    }

    private static NumaNodeUsage numbered(NumaNodeUsage row, int numaNode) {
        return NumaNodeUsage.of(
                numaNode,
                row.wantedBytes(),
                row.placedBytes(),
                row.spilledBytes(),
                row.hugeBytes(),
                row.bufferCount(),
                row.buffersUsed(),
                row.dirty(),
                row.pinned(),
                row.hits(),
                row.misses(),
                row.evictions());
    }

    private static String node(NumaNodeUsage row) {
        return switch (row.numaNode()) {
            case TOTAL -> "total";
            case -1 -> "any";
            default -> Integer.toString(row.numaNode());
        };
    }

    /** Buffers that lie on no single node have their bytes in the nodes' rows. */
    private static String bytes(NumaNodeUsage row, long bytes) {
        return row.numaNode() == -1 ? "-" : ByteCount.render(bytes);
    }

    private static String used(NumaNodeUsage row) {
        return row.bufferCount() == 0 ? "-" : row.buffersUsed() + " of " + row.bufferCount();
    }

    private static String ratio(NumaNodeUsage row) {
        long lookups = row.hits() + row.misses();
        return lookups == 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100.0 * row.hits() / lookups);
    }

    private void addTraffic(List<String> lines) {
        long all = document.traffic().stream()
                .filter(cell -> cell.clientNode() >= 0 && cell.bufferNode() >= 0)
                .mapToLong(StatusDocument.Traffic::hits)
                .sum();
        long remote = document.traffic().stream()
                .filter(cell -> cell.clientNode() >= 0 && cell.bufferNode() >= 0)
                .filter(cell -> cell.clientNode() != cell.bufferNode())
                .mapToLong(StatusDocument.Traffic::hits)
                .sum();
        if (all > 0) {
            lines.add("");
            lines.add(String.format(Locale.ROOT, "%.0f %% of hits are remote.", 100.0 * remote / all));
        }
    }

    private void addClients(List<String> lines) {
        lines.add("");
        var slots = document.slotsLeased() + " of " + document.slotCount() + " slots leased, " + document.spaces()
                + " spaces";
        if (document.clients().isEmpty()) {
            lines.add("No client is attached; " + slots + ".");
            return;
        }
        var table = new TextTable("CLIENT", "NAME", "UID", "SLOTS", "CPUS", "MEMS").left(1);
        for (var client : document.clients()) {
            table.row(
                    client.number(),
                    client.name(),
                    client.uid(),
                    client.slots(),
                    client.cpusAllowed().isEmpty() ? "-" : client.cpusAllowed(),
                    client.memsAllowed().isEmpty() ? "-" : client.memsAllowed());
        }
        lines.addAll(table.lines());
        lines.add(slots + ".");
    }

    private void addPartitions(List<String> lines) {
        var partitions = document.status().partitions();
        if (partitions.isEmpty()) {
            return;
        }
        lines.add("");
        if (partitions.size() > PARTITION_ROWS_MAX) {
            lines.add(partitions.size() + " partitions; --json lists them.");
            return;
        }
        var table = new TextTable("PARTITION", "NODE", "WANTED", "ON ITS NODE", "USED");
        for (PartitionUsage row : partitions) {
            table.row(
                    row.partition(),
                    row.numaNode() < 0 ? "any" : row.numaNode(),
                    ByteCount.render(row.wantedBytes()),
                    row.numaNode() < 0 ? "-" : ByteCount.render(row.placedBytes()),
                    row.buffersUsed() + " of " + row.bufferCount());
        }
        lines.addAll(table.lines());
    }
}
