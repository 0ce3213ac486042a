package io.numabufferpool.linux;

/** How to open a file. */
public enum OpenMode {
    READ_ONLY,
    READ_WRITE,
    /** O_RDWR | O_CREAT | O_EXCL. */
    CREATE_NEW,
    /** O_RDWR | O_CREAT. */
    CREATE
}
