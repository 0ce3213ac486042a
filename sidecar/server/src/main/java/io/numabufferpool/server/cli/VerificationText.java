package io.numabufferpool.server.cli;

import io.numabufferpool.placement.ByteCount;
import io.numabufferpool.server.report.VerificationDocument;
import io.numabufferpool.server.report.VerificationDocument.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** A verification as text: a line a partition, a column a NUMA node. Pure: the same document gives the same lines. */
final class VerificationText {
    /** With more nodes the columns are wider than a screen: then a line names the nodes that hold something. */
    private static final int NODE_COLUMNS_MAX = 8;

    private final VerificationDocument document;
    private final int columns;

    VerificationText(VerificationDocument document, int columns) {
        this.document = document;
        this.columns = columns;
    }

    List<String> lines() {
        var lines = new ArrayList<>(table());
        lines.add("");
        lines.addAll(Paragraph.wrap(verdict(), columns));
        return lines;
    }

    private List<String> table() {
        var rows = new ArrayList<>(document.partitions());
        document.ranges().stream()
                .filter(range -> range.file().equals("control"))
                .forEach(rows::add);
        var nodes = new TreeSet<Integer>();
        rows.forEach(row -> row.placed().forEach(placed -> nodes.add(placed.numaNode())));
        return nodes.size() <= NODE_COLUMNS_MAX ? nodeColumns(rows, nodes) : nodeLists(rows);
    }

    private static List<String> nodeColumns(List<Row> rows, SortedSet<Integer> nodes) {
        var header = new ArrayList<>(List.of("PART OF THE SEGMENT", "SIZE", "NODE"));
        nodes.forEach(node -> header.add("ON NODE " + node));
        header.add("ELSEWHERE");
        var table = new TextTable(header.toArray(String[]::new)).left(0);
        for (var row : rows) {
            var cells = new ArrayList<Object>(List.of(row.name(), ByteCount.render(row.bytes()), wanted(row)));
            for (int node : nodes) {
                cells.add(row.placed().stream()
                        .filter(placed -> placed.numaNode() == node)
                        .map(placed -> ByteCount.render(placed.bytes()))
                        .findFirst()
                        .orElse("-"));
            }
            cells.add(elsewhere(row));
            table.row(cells.toArray());
        }
        return table.lines();
    }

    private static List<String> nodeLists(List<Row> rows) {
        var table = new TextTable("PART OF THE SEGMENT", "SIZE", "NODE", "HELD BY NODES", "ELSEWHERE").left(3);
        for (var row : rows) {
            table.row(
                    row.name(),
                    ByteCount.render(row.bytes()),
                    wanted(row),
                    String.join(
                            ",",
                            row.placed().stream()
                                    .map(placed -> Integer.toString(placed.numaNode()))
                                    .toList()),
                    elsewhere(row));
        }
        return table.lines();
    }

    private static String wanted(Row row) {
        return switch (row.wanted().size()) {
            case 0 -> "any";
            case 1 -> Integer.toString(row.wanted().getFirst().numaNode());
            default -> "spread";
        };
    }

    private static String elsewhere(Row row) {
        if (row.missingBytes() > 0) {
            return ByteCount.render(row.missingBytes()) + " nowhere";
        }
        return row.spilledBytes() == 0 ? "-" : ByteCount.render(row.spilledBytes());
    }

    private String verdict() {
        long bytes = document.ranges().stream().mapToLong(Row::bytes).sum();
        long wrong = document.ranges().stream()
                .mapToLong(row -> row.spilledBytes() + row.missingBytes())
                .sum();
        var what = "Pool " + document.pool() + ", " + document.policy() + " on NUMA nodes " + document.numaNodes()
                + ", counted " + document.verifiedAt() + ": ";
        return document.asDecided()
                ? what + "all " + ByteCount.render(bytes) + " lie where they were decided to lie."
                : what + ByteCount.render(wrong) + " of " + ByteCount.render(bytes)
                        + " lie elsewhere. Free memory on the wanted nodes and restart the pod, or name other nodes in"
                        + " spec.placement.nodes.";
    }
}
