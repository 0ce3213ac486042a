package io.numabufferpool.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What a container runtime does to the calls of memory policy, for the calling thread and those it starts. It cannot be undone. */
public final class SeccompFilter {
    private static final int PR_SET_NO_NEW_PRIVS = 38;
    private static final int PR_SET_SECCOMP = 22;
    private static final int SECCOMP_MODE_FILTER = 2;
    private static final int RET_ERRNO = 0x00050000;
    private static final int RET_ALLOW = 0x7fff0000;

    private SeccompFilter() {}

    /** As default seccomp profiles do: the calls of memory policy answer EPERM from now on. */
    public static void refuseMemoryPolicy() {
        refuseMemoryPolicy(Syscalls.of(System.getProperty("os.arch")), Errno.EPERM);
    }

    /** mbind, set_mempolicy and get_mempolicy, whose numbers are neighbours, answer with this errno from now on. */
    static void refuseMemoryPolicy(Syscalls numbers, Errno errno) {
        int low = Math.min(numbers.mbind(), Math.min(numbers.setMempolicy(), numbers.getMempolicy()));
        int high = Math.max(numbers.mbind(), Math.max(numbers.setMempolicy(), numbers.getMempolicy()));
        try (var arena = Arena.ofConfined()) {
            var program = arena.allocate(5 * 8, 8);
            instruction(program, 0, 0x20, 0, 0, 0); // load the system call's number
            instruction(program, 1, 0x35, 0, 2, low); // below the three: allow
            instruction(program, 2, 0x25, 1, 0, high); // above them: allow
            instruction(program, 3, 0x06, 0, 0, RET_ERRNO | errno.number());
            instruction(program, 4, 0x06, 0, 0, RET_ALLOW);
            var header = arena.allocate(16, 8);
            header.set(JAVA_SHORT, 0, (short) 5);
            header.set(JAVA_LONG, 8, program.address());
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header.address());
        }
    }

    /** struct sock_filter: code, jump if true, jump if false, operand. */
    private static void instruction(MemorySegment program, int index, int code, int ifTrue, int ifFalse, int operand) {
        var at = program.asSlice(index * 8L, 8);
        at.set(JAVA_SHORT, 0, (short) code);
        at.set(JAVA_BYTE, 2, (byte) ifTrue);
        at.set(JAVA_BYTE, 3, (byte) ifFalse);
        at.set(JAVA_INT, 4, operand);
    }

    private static void prctl(int option, long first, long second) {
        Function prctl = NativeLibrary.getProcess().getFunction("prctl");
        int result = prctl.invokeInt(new Object[] {option, first, second, 0L, 0L});
        if (result != 0) {
            throw new IllegalStateException("prctl(" + option + ") answered " + result);
        }
    }
}
