package io.numabufferpool.server.cli;

import io.numabufferpool.crds.NumaPlacementDecision;
import io.numabufferpool.crds.ObservationStatus;
import io.numabufferpool.crds.ObservationStatus.ObservedNode;
import io.numabufferpool.placement.ByteCount;
import io.numabufferpool.placement.NumaNodeSet;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** A nodes report as text. Pure: the same report gives the same lines. */
final class NodesText {
    /** With more nodes the matrix of distances is wider than a screen; --json has them. */
    private static final int DISTANCE_NODES_MAX = 16;

    private static final int BAR_WIDTH = 20;

    private final NodesReport report;
    private final Terminal terminal;

    NodesText(NodesReport report, Terminal terminal) {
        this.report = report;
        this.terminal = terminal;
    }

    List<String> lines() {
        var lines = new ArrayList<String>();
        addNodes(lines);
        addDistances(lines);
        lines.add("");
        addRights(lines);
        lines.add("");
        addFindings(lines);
        lines.add("");
        addPlan(lines);
        return lines;
    }

    private ObservationStatus seen() {
        return report.observation();
    }

    private void addNodes(List<String> lines) {
        var allowed = NumaNodeSet.parse(seen().memsAllowed());
        var pageSizes = new TreeSet<Long>();
        seen().numaNodes().forEach(node -> node.hugePages().forEach(pages -> pageSizes.add(pages.pageBytes())));
        var header = new ArrayList<>(List.of("NODE", "CPUS", "MEMORY", "FREE", "ALLOWED"));
        pageSizes.forEach(size -> header.add("FREE HUGE " + ByteCount.asQuantity(size)));
        if (terminal.interactive()) {
            header.add("MEMORY IN USE");
        }
        var table = new TextTable(header.toArray(String[]::new)).left(1);
        if (terminal.interactive()) {
            table.left(header.size() - 1);
        }
        for (var node : seen().numaNodes()) {
            var row = new ArrayList<Object>(List.of(
                    node.numaNode(),
                    node.cpus().isEmpty() ? "none" : node.cpus(),
                    ByteCount.render(node.memoryBytes()),
                    ByteCount.render(node.freeBytes()),
                    allowed.contains(node.numaNode()) ? "yes" : "no"));
            pageSizes.forEach(size -> row.add(hugePages(node, size)));
            if (terminal.interactive()) {
                row.add(Bar.of(node.memoryBytes() - node.freeBytes(), node.memoryBytes(), BAR_WIDTH));
            }
            table.row(row.toArray());
        }
        lines.addAll(table.lines());
    }

    private static String hugePages(ObservedNode node, long pageBytes) {
        return node.hugePages().stream()
                .filter(pages -> pages.pageBytes() == pageBytes)
                .map(pages -> pages.free() + " of " + pages.total())
                .findFirst()
                .orElse("-");
    }

    private void addDistances(List<String> lines) {
        var nodes = seen().numaNodes();
        boolean known = nodes.stream().allMatch(node -> node.distances().size() == nodes.size());
        if (nodes.size() < 2 || nodes.size() > DISTANCE_NODES_MAX || !known) {
            return;
        }
        lines.add("");
        var header = new ArrayList<String>(List.of("DISTANCE"));
        nodes.forEach(node -> header.add(Integer.toString(node.numaNode())));
        var table = new TextTable(header.toArray(String[]::new));
        for (var node : nodes) {
            var row = new ArrayList<Object>(List.of(node.numaNode()));
            row.addAll(node.distances());
            table.row(row.toArray());
        }
        lines.addAll(table.lines());
    }

    private void addRights(List<String> lines) {
        var table = new TextTable("THIS PROCESS", "").left(1);
        table.row("user", "uid " + report.uid());
        table.row("CPUs allowed", seen().cpusAllowed());
        table.row("NUMA nodes allowed", seen().memsAllowed());
        table.row("memory limit", limit());
        table.row("seccomp", report.seccompMode() == 0 ? "no filter" : "filtered (mode " + report.seccompMode() + ")");
        table.row("mbind", seen().mbindAllowed() ? "allowed" : "refused: pages are placed by pinned first touch");
        if (!seen().taskPolicyNodes().isEmpty()) {
            table.row("policy set by the runtime", "nodes " + seen().taskPolicyNodes());
        }
        table.row(
                "huge pages without reservation",
                seen().collapseSupported()
                        ? "yes (MADV_COLLAPSE)"
                        : "no: Linux " + seen().kernelRelease() + " lacks MADV_COLLAPSE, 6.1 has it");
        lines.addAll(table.lines());
    }

    /** What is as it should be on one line each, the rest with what changes it. */
    private void addFindings(List<String> lines) {
        var table = new TextTable("BEFORE A POOL IS PLACED", "", "").left(1).left(2);
        report.findings()
                .forEach(one -> table.row(
                        one.name(),
                        one.value(),
                        switch (one.verdict()) {
                            case GOOD -> "good";
                            case NOTE -> "note";
                            case HARM -> "HARM";
                        }));
        lines.addAll(table.lines());
        for (var one : report.findings()) {
            if (one.command() != null) {
                lines.addAll(Paragraph.wrap(
                        one.name() + " = " + one.value() + ": " + one.why() + ". Change it by: " + one.command(),
                        terminal.columns()));
            }
        }
    }

    private String limit() {
        var limit = seen().memoryLimitBytes();
        return limit == null ? "none" : ByteCount.render(limit);
    }

    private void addPlan(List<String> lines) {
        var pool = "A pool of " + report.plannedSize()
                + (report.plannedPool().equals("example") ? " with every default" : " (" + report.plannedPool() + ")");
        var problem = report.problem();
        if (problem != null) {
            lines.addAll(Paragraph.wrap(
                    pool + " could not be placed: " + problem.reason() + ": " + problem.message(), terminal.columns()));
            return;
        }
        var decision = report.decision();
        if (decision == null) {
            return;
        }
        lines.addAll(Paragraph.wrap(
                pool + " would lie on NUMA nodes " + decision.numaNodes() + ", placed by " + decision.method() + ": "
                        + decision.why(),
                terminal.columns()));
        addShares(lines, decision);
    }

    private static void addShares(List<String> lines, NumaPlacementDecision decision) {
        if (decision.shares().isEmpty()) {
            return;
        }
        long largest = decision.shares().stream()
                .mapToLong(NumaPlacementDecision.Share::bytes)
                .max()
                .orElse(0);
        var table = new TextTable("NODE", "SHARE", "").left(2);
        for (var share : decision.shares()) {
            table.row(share.numaNode(), ByteCount.render(share.bytes()), Bar.of(share.bytes(), largest, BAR_WIDTH));
        }
        lines.addAll(table.lines());
    }
}
