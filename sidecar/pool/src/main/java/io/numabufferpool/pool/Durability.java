package io.numabufferpool.pool;

import io.numabufferpool.layout.SpaceTableLayout;

/** When a changed page is written to its space. */
public enum Durability {
    /** Before the change is announced as done. */
    WRITE_THROUGH(SpaceTableLayout.WRITE_THROUGH),
    /** Later, in the background, and never before the log that describes the change is durable. */
    WRITE_BACK(SpaceTableLayout.WRITE_BACK);

    /** As the space table has it. */
    final int code;

    Durability(int code) {
        this.code = code;
    }
}
