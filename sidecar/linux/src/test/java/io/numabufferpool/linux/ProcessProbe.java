package io.numabufferpool.linux;

import io.numabufferpool.placement.NumaNodeSet;
import java.lang.foreign.Arena;

/** A program that prints what a process of its kind sees, for {@link JnaLinuxProcessTest}. */
final class ProcessProbe {
    private static final long PAGE_BYTES = 65_536;

    private ProcessProbe() {}

    /** The argument: an errno that a seccomp filter gives for memory policy, or OK for no filter. */
    public static void main(String[] arguments) {
        var refused = Errno.valueOf(arguments[0]);
        var linux = new JnaLinux();
        var numbers = Syscalls.of(System.getProperty("os.arch"));
        if (!refused.ok()) {
            linux.setTaskPolicy(MemoryPolicy.BIND, NumaNodeSet.of(0));
            SeccompFilter.refuseMemoryPolicy(numbers, refused);
        }
        var observation = new ObservationReader(linux).read();
        System.out.println("mbindAllowed=" + observation.mbindAllowed());
        System.out.println("taskPolicy=" + linux.taskPolicy().isPresent());
        try (var arena = Arena.ofConfined()) {
            var page = arena.allocate(PAGE_BYTES, PAGE_BYTES);
            System.out.println(
                    "mbind=" + linux.bindMemory(page, MemoryPolicy.DEFAULT, NumaNodeSet.empty(), MemoryMove.LEAVE));
        }
        System.out.println("set=" + linux.setTaskPolicy(MemoryPolicy.DEFAULT, NumaNodeSet.empty()));
        System.out.println("rseq=" + CurrentCpu.ofThisProcess(numbers).hasRseq());
        System.out.println("cpu=" + linux.affinity().contains(linux.currentCpu()));
    }
}
