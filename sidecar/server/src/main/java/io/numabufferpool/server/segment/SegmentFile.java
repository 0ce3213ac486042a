package io.numabufferpool.server.segment;

/** The two files of a segment. */
public enum SegmentFile {
    /** Header, tables, slots, descriptors. */
    CONTROL("control"),
    /** The page data. */
    BUFFERS("buffers");

    private final String fileName;

    SegmentFile(String fileName) {
        this.fileName = fileName;
    }

    /** Its name in the segment's directory. */
    public String fileName() {
        return fileName;
    }
}
