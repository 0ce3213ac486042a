package io.numabufferpool.linux;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Looks for what {@link RequiresHugePages} wants. */
public final class HugePagesCondition implements ExecutionCondition {
    private static final long PAGE_BYTES = 2L << 20;

    /** A writable folder on hugetlbfs with pages of 2 MiB, or empty where this machine has none. */
    public static Optional<Path> folder() {
        return KernelFile.lines(Path.of("/proc/self/mountinfo")).stream()
                .filter(line -> line.contains(" - hugetlbfs "))
                .map(line -> Path.of(line.split(" ", -1)[4]))
                .filter(Files::isWritable)
                .filter(folder -> new JnaLinux().fileSystem(folder).pageBytes() == PAGE_BYTES)
                .findFirst();
    }

    private static long freePages() {
        return new NumaTopologyReader()
                .read().numaNodes().stream()
                        .mapToLong(node -> node.freeHugePages(PAGE_BYTES))
                        .sum();
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        int wanted = AnnotationSupport.findAnnotation(context.getElement(), RequiresHugePages.class)
                .map(RequiresHugePages::value)
                .orElse(0);
        if (wanted == 0) {
            return ConditionEvaluationResult.enabled("needs no huge pages");
        }
        if (folder().isEmpty()) {
            return ConditionEvaluationResult.disabled(
                    "NO HUGE PAGES HERE: no hugetlbfs with pages of 2 MiB that can be written"
                            + " (mount -t hugetlbfs -o pagesize=2M none /dev/hugepages)");
        }
        long free = freePages();
        return free >= wanted
                ? ConditionEvaluationResult.enabled(free + " huge pages are free")
                : ConditionEvaluationResult.disabled("TOO FEW HUGE PAGES HERE: " + free + " of 2 MiB are free, "
                        + wanted + " are wanted (echo " + wanted + " > /proc/sys/vm/nr_hugepages)");
    }
}
