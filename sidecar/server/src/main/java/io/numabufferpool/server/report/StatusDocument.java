package io.numabufferpool.server.report;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.numabufferpool.crds.NumaPlacementDecision;
import io.numabufferpool.crds.NumaPlacementStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the sidecar answers when it is asked for its status, and what {@code numapool status} renders. Numbers are exact. A
 * reader of an older release ignores fields that it does not know. Immutable.
 *
 * @param pool name of the pool
 * @param pod {@code namespace/name}; absent outside Kubernetes
 * @param size spec.size as bytes
 * @param decision in force; absent before there is one
 * @param status the same that the operator gets
 * @param clients who is attached
 * @param traffic hits by the client's NUMA node and the buffer's
 * @param slotsLeased slots in use
 * @param slotCount all slots
 * @param spaces files that the pool knows
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record StatusDocument(
        String pool,
        @Nullable String pod,
        long size,
        @Nullable NumaPlacementDecision decision,
        NumaPlacementStatus status,
        List<Client> clients,
        List<Traffic> traffic,
        int slotsLeased,
        int slotCount,
        int spaces) {
    public StatusDocument {
        clients = clients == null ? List.of() : List.copyOf(clients);
        traffic = traffic == null ? List.of() : List.copyOf(traffic);
    }

    /** One attached process. Lists are the kernel's: {@code 0-1,3}. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Client(
            int number,
            String name,
            int uid,
            int pid,
            int slots,
            String cpusAllowed,
            String memsAllowed,
            String since) {}

    /** -1: no single node. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Traffic(int clientNode, int bufferNode, long hits) {}
}
