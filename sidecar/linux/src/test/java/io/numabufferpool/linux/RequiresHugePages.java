package io.numabufferpool.linux;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/** Skipped by name where no hugetlbfs with 2 MiB pages can be written, or too few of them are free. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(HugePagesCondition.class)
public @interface RequiresHugePages {
    /** Free pages of 2 MiB, over all NUMA nodes. */
    int value() default 8;
}
