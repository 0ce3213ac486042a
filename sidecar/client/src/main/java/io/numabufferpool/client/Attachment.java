package io.numabufferpool.client;

import io.numabufferpool.client.attach.ClientsLock;
import io.numabufferpool.linux.Mapping;
import io.numabufferpool.linux.UnixConnection;
import io.numabufferpool.pool.Access;
import io.numabufferpool.pool.BufferPool;
import java.nio.file.Path;

/**
 * What a client holds after a successful handshake: the mapped segment, its lock byte, the notice connection.
 *
 * @param folder the attach folder
 * @param connection open and silent; its end tells the sidecar to look at the lock byte
 * @param lock this process's description of {@code clients.lock}; holds byte {@code clientNumber}
 * @param generation of the segment
 * @param advisedCpus to which this process is to bind its threads; empty: to none
 */
record Attachment(
        Path folder,
        UnixConnection connection,
        ClientsLock lock,
        int clientNumber,
        long generation,
        Access access,
        Mapping control,
        Mapping buffers,
        BufferPool pool,
        String advisedCpus) {
    /** Unmaps first, then gives the byte back: from then on the sidecar clears what is left in this number's slots. */
    void release() {
        control.close();
        buffers.close();
        lock.close();
    }
}
