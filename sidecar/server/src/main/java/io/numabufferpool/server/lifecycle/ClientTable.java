package io.numabufferpool.server.lifecycle;

import io.numabufferpool.crds.ObservationStatus;
import io.numabufferpool.placement.CpuSet;
import io.numabufferpool.placement.NumaNodeSet;
import io.numabufferpool.server.attach.AttachedClient;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the attached clients may use, all together. Pure. */
final class ClientTable {
    private ClientTable() {}

    /** Null before the first client. */
    static ObservationStatus.@Nullable Clients together(List<AttachedClient> clients) {
        if (clients.isEmpty()) {
            return null;
        }
        var cpus = CpuSet.empty();
        var mems = NumaNodeSet.empty();
        for (var client : clients) {
            cpus = cpus.or(client.cpusAllowed());
            mems = mems.or(client.memsAllowed());
        }
        return new ObservationStatus.Clients(clients.size(), cpus.toString(), mems.toString());
    }
}
