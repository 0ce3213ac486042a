package io.numabufferpool.server.cli;

import io.numabufferpool.placement.ByteCount;
import io.numabufferpool.server.pagecache.CacheReport;
import io.numabufferpool.server.pagecache.CachedFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A look at the page cache as text: a line a file, then all of them by NUMA node. Pure: the same report gives the same lines. */
final class PagecacheText {
    /** A screen. The rest has less in memory than any of these, and is summed up. */
    private static final int FILES_MAX = 40;

    /** With more nodes, a share of each would not fit a line. */
    private static final int SHARES_MAX = 8;

    private static final int FILE_BAR = 10;
    private static final int NODE_BAR = 30;

    /** A name keeps at least this much of its end, on a narrow terminal too. */
    private static final int NAME_MIN = 12;

    private static final String CUT = "...";

    private final CacheReport report;
    private final int columns;

    PagecacheText(CacheReport report, int columns) {
        this.report = report;
        this.columns = columns;
    }

    List<String> lines() {
        var lines = new ArrayList<String>();
        if (!report.files().isEmpty()) {
            lines.addAll(table());
            lines.add("");
            lines.addAll(Paragraph.wrap(sentence(report.total()), columns));
            lines.addAll(nodes(report.total()));
        }
        for (var spread : report.spread()) {
            lines.addAll(Paragraph.wrap(sentence(spread), columns));
        }
        if (report.skippedLinks() > 0) {
            lines.addAll(Paragraph.wrap(
                    report.skippedLinks()
                            + " symbolic links inside folders were not followed; name them to see their files.",
                    columns));
        }
        return lines;
    }

    private List<String> table() {
        var shown = report.files().stream().limit(FILES_MAX).toList();
        var numaNodes = numaNodes();
        boolean shares = numaNodes.size() <= SHARES_MAX;
        var nodesHeader = shares
                ? "% OF NODE " + numaNodes.stream().map(String::valueOf).collect(Collectors.joining("/"))
                : "MOST ON";
        var rest = new TextTable("SIZE", "CACHED", "", nodesHeader).left(0);
        for (var file : shown) {
            rest.row(
                    ByteCount.render(file.bytes()),
                    ByteCount.render(file.cachedBytes()),
                    Bar.of(file.cachedBytes(), file.bytes(), FILE_BAR),
                    shares ? shares(file, numaNodes) : mostOn(file));
        }
        var right = rest.lines();
        int room = columns - 2 - right.stream().mapToInt(String::length).max().orElse(0);
        var lines = new ArrayList<String>();
        int width = Math.max(
                NAME_MIN,
                Math.min(
                        room,
                        shown.stream()
                                .mapToInt(file -> file.path().length())
                                .max()
                                .orElse(0)));
        lines.add("FILE" + " ".repeat(width - "FILE".length()) + "  " + right.getFirst());
        for (int row = 0; row < shown.size(); row++) {
            var name = cut(shown.get(row).path(), width);
            lines.add(name + " ".repeat(width - name.length()) + "  " + right.get(row + 1));
        }
        if (report.files().size() > FILES_MAX) {
            lines.add("and " + (report.files().size() - FILES_MAX) + " more with less in memory; --json lists all");
        }
        return lines;
    }

    private SortedSet<Integer> numaNodes() {
        var numaNodes = new TreeSet<>(report.numaNodes());
        numaNodes.addAll(report.total().bytesOfNode().keySet());
        return numaNodes;
    }

    private static String shares(CachedFile file, Iterable<Integer> numaNodes) {
        var shares = new ArrayList<String>();
        numaNodes.forEach(numaNode -> shares.add(Long.toString(percent(onNode(file, numaNode), file.cachedBytes()))));
        return file.cachedBytes() == 0 ? "-" : String.join("/", shares);
    }

    private static String mostOn(CachedFile file) {
        return file.bytesOfNode().entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(most -> "node " + most.getKey() + " " + percent(most.getValue(), file.cachedBytes()) + " %")
                .orElse("-");
    }

    private List<String> nodes(CachedFile total) {
        var table = new TextTable("NUMA NODE", "", "IN MEMORY", "SHARE").left(1);
        for (int numaNode : numaNodes()) {
            long bytes = onNode(total, numaNode);
            table.row(
                    "node " + numaNode,
                    Bar.of(bytes, total.cachedBytes(), NODE_BAR),
                    ByteCount.render(bytes),
                    percent(bytes, total.cachedBytes()) + " %");
        }
        if (total.unplacedBytes() > 0) {
            table.row(
                    "unknown",
                    Bar.of(total.unplacedBytes(), total.cachedBytes(), NODE_BAR),
                    ByteCount.render(total.unplacedBytes()),
                    percent(total.unplacedBytes(), total.cachedBytes()) + " %");
        }
        return table.lines();
    }

    private static long onNode(CachedFile file, int numaNode) {
        return file.bytesOfNode().getOrDefault(numaNode, 0L);
    }

    private static String sentence(CachedFile total) {
        return total.path() + ", " + ByteCount.render(total.bytes()) + ": " + ByteCount.render(total.cachedBytes())
                + " in memory.";
    }

    private static String sentence(CacheReport.Spread spread) {
        var what = spread.path() + ": " + ByteCount.render(spread.readBytes())
                + " read again from every NUMA node in turn";
        return spread.keptBytes() == 0
                ? what + "."
                : what + "; " + ByteCount.render(spread.keptBytes())
                        + " could not be dropped and lie where they lay: a process has them mapped, locked, or dirtied them"
                        + " meanwhile. Stop it and spread again.";
    }

    private static long percent(long part, long whole) {
        return whole == 0 ? 0 : Math.round(100.0 * part / whole);
    }

    private static String cut(String name, int width) {
        return name.length() <= width ? name : CUT + name.substring(name.length() - width + CUT.length());
    }
}
