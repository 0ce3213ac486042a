package io.numabufferpool.server.cli;

import io.numabufferpool.placement.ByteCount;
import io.numabufferpool.server.adopt.SegmentReport;
import io.numabufferpool.server.adopt.SegmentReports;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** What became of a program's segments, for a terminal. Pure. */
final class RunText {
    /** More rows than this say less than their sum; --json has all of them. */
    private static final int ROWS_MAX = 32;

    private final SegmentReports found;
    private final long minBytes;

    RunText(SegmentReports found, long minBytes) {
        this.found = found;
        this.minBytes = minBytes;
    }

    List<String> lines() {
        var lines = new ArrayList<String>();
        var segments = found.reports();
        if (segments.isEmpty() && found.unreadable().isEmpty()) {
            lines.add("No segment of " + ByteCount.render(minBytes)
                    + " or more was placed: the program made none of the kinds asked"
                    + " for (--min-size, --kinds), or it is statically linked, set-user-ID, or has not ended by exit.");
        }
        if (!segments.isEmpty()) {
            lines.addAll(table(segments.subList(0, Math.min(ROWS_MAX, segments.size()))));
        }
        if (segments.size() > ROWS_MAX) {
            lines.add("... and " + (segments.size() - ROWS_MAX) + " more; --json FILE has all of them.");
        }
        segments.stream()
                .filter(segment -> !segment.why().isEmpty())
                .map(segment -> printable(segment.program() + ": " + segment.why()))
                .distinct()
                .limit(ROWS_MAX)
                .forEach(lines::add);
        found.unreadable().stream().limit(ROWS_MAX).map(RunText::printable).forEach(lines::add);
        return lines;
    }

    private static List<String> table(List<SegmentReport> segments) {
        var nodes = new TreeSet<Integer>();
        segments.forEach(segment -> nodes.addAll(segment.wanted().keySet()));
        segments.forEach(segment -> nodes.addAll(segment.placed().keySet()));
        var header = new ArrayList<>(List.of("PROGRAM", "PROCESS", "KIND", "STATE", "METHOD", "SIZE", "HUGE"));
        nodes.forEach(node -> header.add("NODE " + node));
        var table = new TextTable(header.toArray(String[]::new)).left(2).left(3).left(4);
        for (var segment : segments) {
            var row = new ArrayList<Object>(List.of(
                    printable(segment.program()),
                    segment.process(),
                    printable(segment.kind()),
                    printable(segment.state()),
                    printable(segment.method()),
                    ByteCount.render(segment.bytes()),
                    ByteCount.render(segment.hugeBytes())));
            nodes.forEach(node -> row.add(ByteCount.render(segment.placed().getOrDefault(node, 0L))));
            table.row(row.toArray());
        }
        return table.lines();
    }

    /** A report is the program's word: no control character of it reaches a terminal. */
    private static String printable(String text) {
        return text.replaceAll("[^\\x20-\\x7e]", "?");
    }
}
