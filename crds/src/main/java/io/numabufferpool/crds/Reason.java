package io.numabufferpool.crds;

import io.numabufferpool.placement.PlacementReason;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Why a condition is as it is, and what an event is about. The constants' names are the words of the API. */
public enum Reason {
    /** Every pod that asks for the pool has a segment that serves as decided. */
    AllPodsReady(
            false, "every pod that asks for the pool has a segment that serves as decided", "", ConditionType.Ready),
    /** No pod asks for the pool yet. */
    NoPods(
            false,
            "no pod asks for the pool yet",
            "label a pod numabufferpool.io/pool with the pool's name",
            ConditionType.Ready,
            ConditionType.NodeSetResolved,
            ConditionType.HugePagesAvailable,
            ConditionType.PlacementVerified),
    /** Some pods' segments do not serve yet, or failed. */
    PodsNotReady(
            false,
            "some pods' segments do not serve yet, or failed",
            "see status.worstPods and the other conditions",
            ConditionType.Ready),
    /** Some pods' segments serve, but not as decided. */
    PodsDegraded(
            false,
            "some pods' segments serve, but not as decided",
            "see status.worstPods",
            ConditionType.Ready,
            ConditionType.PlacementVerified),
    /** The spec contradicts itself. */
    InvalidSpec(
            false,
            "the spec contradicts itself",
            "change the field that the message names",
            ConditionType.Ready,
            ConditionType.NodeSetResolved,
            ConditionType.Stalled),
    /** The segment lies as decided and clients may attach. */
    SegmentServing(false, "the segment lies as decided and clients may attach", "", ConditionType.Ready),
    /** The segment is not published yet. */
    SegmentNotReady(
            false,
            "the segment is not published yet",
            "wait; the sidecar's log shows the progress",
            ConditionType.Ready),
    /** The segment serves, but does not lie as decided. */
    SegmentDegraded(
            false, "the segment serves, but does not lie as decided", "see PlacementVerified", ConditionType.Ready),
    /** The segment could not be made. */
    SegmentFailed(
            false,
            "the segment could not be made",
            "see the message; the sidecar's log has the details",
            ConditionType.Ready,
            ConditionType.Stalled),
    /** The node set was found, nothing was left out. */
    NodeSetResolved(false, "the node set was found, nothing was left out", "", ConditionType.NodeSetResolved),
    /** The node set was found, and nodes were left out of it. */
    NodeSetNarrowed(
            true,
            "the node set was found, and nodes were left out of it",
            "the message names them and what would bring them in",
            ConditionType.NodeSetResolved),
    /** The sidecar has not reported what it sees. */
    AwaitingReport(
            false,
            "the sidecar has not reported what it sees",
            "wait; if it lasts, look at the sidecar's log",
            ConditionType.NodeSetResolved,
            ConditionType.HugePagesAvailable,
            ConditionType.PlacementVerified),
    /** See {@link PlacementReason#NumaNodeNotPresent}. */
    NumaNodeNotPresent(
            false,
            PlacementReason.NumaNodeNotPresent.meaning(),
            "correct spec.placement.nodes",
            ConditionType.NodeSetResolved),
    /** See {@link PlacementReason#NumaNodeWithoutMemory}. */
    NumaNodeWithoutMemory(
            false,
            PlacementReason.NumaNodeWithoutMemory.meaning(),
            "correct spec.placement.nodes",
            ConditionType.NodeSetResolved),
    /** See {@link PlacementReason#MemoryOnlyNode}. */
    MemoryOnlyNode(
            false,
            PlacementReason.MemoryOnlyNode.meaning(),
            "set spec.placement.memoryOnlyNodes to Include",
            ConditionType.NodeSetResolved),
    /** See {@link PlacementReason#NumaNodeNotAllowed}. */
    NumaNodeNotAllowed(
            false,
            PlacementReason.NumaNodeNotAllowed.meaning(),
            "correct spec.placement.nodes, or let the kubelet's memory manager grant the node",
            ConditionType.NodeSetResolved),
    /** See {@link PlacementReason#NumaNodeUnreachable}. */
    NumaNodeUnreachable(
            false,
            PlacementReason.NumaNodeUnreachable.meaning(),
            "allow mbind by the seccomp profile, or give the pod a CPU of that node",
            ConditionType.NodeSetResolved),
    /** See {@link PlacementReason#NoNumaNode}. */
    NoNumaNode(
            false, PlacementReason.NoNumaNode.meaning(), "change spec.placement.nodes", ConditionType.NodeSetResolved),
    /** See {@link PlacementReason#PoolTooSmall}. */
    PoolTooSmall(
            false,
            PlacementReason.PoolTooSmall.meaning(),
            "raise spec.size, or list fewer nodes",
            ConditionType.NodeSetResolved),
    /** See {@link PlacementReason#InsufficientMemory}. */
    InsufficientMemory(
            false,
            PlacementReason.InsufficientMemory.meaning(),
            "lower spec.size, or use more nodes",
            ConditionType.NodeSetResolved),
    /** See {@link PlacementReason#MemoryLimitTooSmall}. */
    MemoryLimitTooSmall(
            false,
            PlacementReason.MemoryLimitTooSmall.meaning(),
            "lower spec.size, or raise the sidecar's memory limit",
            ConditionType.NodeSetResolved),
    /** All of the segment lies in huge pages. */
    HugePagesInUse(false, "all of the segment lies in huge pages", "", ConditionType.HugePagesAvailable),
    /** Spec.hugePages.mode is Never. */
    HugePagesNotWanted(false, "spec.hugePages.mode is Never", "", ConditionType.HugePagesAvailable),
    /** See {@link PlacementReason#InsufficientHugePages}. */
    InsufficientHugePages(
            true,
            PlacementReason.InsufficientHugePages.meaning(),
            "reserve more on the node that the message names, or use spec.hugePages.mode Transparent",
            ConditionType.HugePagesAvailable),
    /** The kernel is older than 6.1 and cannot collapse pages on tmpfs. */
    CollapseUnsupported(
            false,
            "the kernel is older than 6.1 and cannot collapse pages on tmpfs",
            "use a newer kernel, or spec.hugePages.mode Reserved",
            ConditionType.HugePagesAvailable),
    /** Some ranges could not be collapsed into huge pages yet. */
    CollapseIncomplete(
            false,
            "some ranges could not be collapsed into huge pages yet",
            "the sidecar tries again; memory may be too fragmented",
            ConditionType.HugePagesAvailable),
    /** Reserved needs spec.securityContext.fsGroup in the pod, and it has none. */
    FsGroupMissing(
            false,
            "Reserved needs spec.securityContext.fsGroup in the pod, and it has none",
            "set fsGroup in the pod, or use spec.hugePages.mode Transparent",
            ConditionType.HugePagesAvailable),
    /** Every page lies where it was decided. */
    PlacementVerified(true, "every page lies where it was decided", "", ConditionType.PlacementVerified),
    /** Pages lie on other nodes than decided. */
    PlacementSpilled(
            true,
            "pages lie on other nodes than decided",
            "the message names nodes and bytes; free memory or huge pages there",
            ConditionType.PlacementVerified),
    /** The segment is being placed. */
    PlacementPending(false, "the segment is being placed", "wait", ConditionType.PlacementVerified),
    /** Parts of the segment move, are added or given back while clients work on. */
    Replacing(
            true,
            "parts of the segment move, are added or given back while clients work on",
            "wait; the message says how much is left and who is in the way",
            ConditionType.PlacementVerified,
            ConditionType.Ready),
    /** Policy None: the kernel chose, and nothing was decided to compare with. */
    KernelChoice(
            false,
            "policy None: the kernel chose, and nothing was decided to compare with",
            "",
            ConditionType.PlacementVerified),
    /** The kernel moved pages after they had been placed (numa_balancing, demotion). */
    MovedByKernel(
            false,
            "the kernel moved pages after they had been placed (numa_balancing, demotion)",
            "use spec.hugePages.mode Reserved, the seccomp profile that allows mbind, or switch the sysctl off",
            ConditionType.PlacementVerified),
    /** Seccomp forbids what the placement needs. */
    SeccompBlocked(
            true,
            "seccomp forbids what the placement needs",
            "use the seccomp profile that allows mbind",
            ConditionType.PlacementVerified),
    /** A sidecar has not reported for longer than it should. */
    ReportOverdue(
            false,
            "a sidecar has not reported for longer than it should",
            "look at the sidecar's log and at the network between it and the operator",
            ConditionType.Ready,
            ConditionType.PlacementVerified),
    /** New pods get the sidecar, running ones have that of this generation. */
    InjectionActive(
            false,
            "new pods get the sidecar, running ones have that of this generation",
            "",
            ConditionType.InjectionActive),
    /** The cluster has no admission policy that injects. */
    InjectionMissing(
            false,
            "the cluster has no admission policy that injects",
            "install the chart with injection, on Kubernetes 1.36 or later",
            ConditionType.InjectionActive,
            ConditionType.Ready),
    /** Running pods have the sidecar of an older generation of the pool. */
    PodsOutdated(
            false,
            "running pods have the sidecar of an older generation of the pool",
            "restart them",
            ConditionType.InjectionActive),
    /** Pods carry the label, but were created without the sidecar. */
    PodsWithoutSidecar(
            false,
            "pods carry the label, but were created without the sidecar",
            "delete them; their controller makes new ones",
            ConditionType.InjectionActive),
    /** Pods are on their way. */
    Progressing(false, "pods are on their way", "", ConditionType.Reconciling),
    /** A restarted sidecar took over the segment that was there. */
    SidecarReadopted(true, "a restarted sidecar took over the segment that was there", ""),
    /** A client process ended without detaching, and what it held was given back. */
    ClientReaped(true, "a client process ended without detaching, and what it held was given back", "");

    private final boolean event;
    private final String meaning;
    private final String fix;
    // Never changed after construction, and handed out unmodifiable; Error Prone knows only Guava's immutable sets.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Set<ConditionType> conditionTypes;

    Reason(boolean event, String meaning, String fix, ConditionType... conditionTypes) {
        this.event = event;
        this.meaning = meaning;
        this.fix = fix;
        var types = EnumSet.noneOf(ConditionType.class);
        types.addAll(List.of(conditionTypes));
        this.conditionTypes = Collections.unmodifiableSet(types);
    }

    /** The reason by which the planner refuses or leaves out. Every {@link PlacementReason} has one of the same name. */
    public static Reason of(PlacementReason reason) {
        return valueOf(reason.name());
    }

    /** What is the case, as half a sentence. */
    public String meaning() {
        return meaning;
    }

    /** What a person can do; empty where nothing is wrong. */
    public String fix() {
        return fix;
    }

    /** The conditions that it may explain; none where it is about events only. */
    public Set<ConditionType> conditionTypes() {
        return conditionTypes;
    }

    /** Whether events carry it. */
    public boolean isEvent() {
        return event;
    }
}
