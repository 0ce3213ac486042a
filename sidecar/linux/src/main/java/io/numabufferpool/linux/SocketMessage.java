package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** {@code struct msghdr} with one data buffer and room for descriptors (cmsg(3)); 64-bit layout. */
final class SocketMessage {
    // struct msghdr: name, int nameBytes, iov, iovCount, control, controlBytes, int flags
    private static final int MSGHDR_BYTES = 56;
    private static final int IOV = 16;
    private static final int IOV_COUNT = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_BYTES = 40;
    private static final int FLAGS = 48;

    // struct cmsghdr: long bytes with this header, int level, int type, then the data, aligned to 8
    private static final int CMSG_HEADER_BYTES = 16;
    private static final int CMSG_ALIGNMENT = 8;
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;

    /** SCM_MAX_FD: room for all that a sender can send at once, so that none is lost uncounted and left open. */
    static final int DESCRIPTORS_MAX = 253;

    private static final int MSG_CTRUNC = 8;

    private final MemorySegment header;
    private final MemorySegment vector;
    private final MemorySegment control;

    private SocketMessage(NativeScratch scratch, long controlBytes) {
        header = scratch.allocate(MSGHDR_BYTES);
        vector = scratch.allocate(2L * Long.BYTES);
        control = scratch.allocate(Math.max(CMSG_HEADER_BYTES, controlBytes));
        header.set(JAVA_LONG, IOV, vector.address());
        header.set(JAVA_LONG, IOV_COUNT, 1);
    }

    /** A message that carries these descriptors; they must stay open until it is sent. */
    static SocketMessage sending(NativeScratch scratch, List<LinuxFile> files) {
        if (files.size() > DESCRIPTORS_MAX) {
            throw new IllegalArgumentException(
                    files.size() + " descriptors are more than the " + DESCRIPTORS_MAX + " that one message carries");
        }
        long bytes = CMSG_HEADER_BYTES + (long) files.size() * Integer.BYTES;
        var message = new SocketMessage(scratch, aligned(bytes));
        if (files.isEmpty()) {
            return message;
        }
        message.control.set(JAVA_LONG, 0, bytes);
        message.control.set(JAVA_INT, 8, SOL_SOCKET);
        message.control.set(JAVA_INT, 12, SCM_RIGHTS);
        for (int i = 0; i < files.size(); i++) {
            message.control.set(
                    JAVA_INT,
                    CMSG_HEADER_BYTES + (long) i * Integer.BYTES,
                    files.get(i).descriptor());
        }
        message.resetControl();
        return message;
    }

    static SocketMessage receiving(NativeScratch scratch) {
        return new SocketMessage(scratch, aligned(CMSG_HEADER_BYTES + (long) DESCRIPTORS_MAX * Integer.BYTES));
    }

    private static long aligned(long bytes) {
        return (bytes + CMSG_ALIGNMENT - 1) & -CMSG_ALIGNMENT;
    }

    long address() {
        return header.address();
    }

    void setData(MemorySegment data) {
        vector.set(JAVA_LONG, 0, data.address());
        vector.set(JAVA_LONG, Long.BYTES, data.byteSize());
    }

    /** All of the control buffer: what is to be sent, or room for what comes. */
    void resetControl() {
        header.set(JAVA_LONG, CONTROL, control.address());
        header.set(JAVA_LONG, CONTROL_BYTES, control.byteSize());
        header.set(JAVA_INT, FLAGS, 0);
    }

    void clearControl() {
        header.set(JAVA_LONG, CONTROL, 0);
        header.set(JAVA_LONG, CONTROL_BYTES, 0);
    }

    /** Adds the descriptors that came to the list, each under this name; true where the kernel had to drop some. */
    boolean takeDescriptors(String name, List<LinuxFile> files) {
        long end = header.get(JAVA_LONG, CONTROL_BYTES);
        for (long at = 0; at + CMSG_HEADER_BYTES <= end; ) {
            long bytes = control.get(JAVA_LONG, at);
            if (bytes < CMSG_HEADER_BYTES || at + bytes > end) {
                break;
            }
            if (control.get(JAVA_INT, at + 8) == SOL_SOCKET && control.get(JAVA_INT, at + 12) == SCM_RIGHTS) {
                for (long i = at + CMSG_HEADER_BYTES; i + Integer.BYTES <= at + bytes; i += Integer.BYTES) {
                    files.add(new JnaFile(control.get(JAVA_INT, i), "a descriptor from " + name));
                }
            }
            at += aligned(bytes);
        }
        return (header.get(JAVA_INT, FLAGS) & MSG_CTRUNC) != 0;
    }
}
