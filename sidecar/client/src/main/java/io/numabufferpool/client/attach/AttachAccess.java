package io.numabufferpool.client.attach;

/** What an attached client may do with the buffers: {@code spec.access}. */
public enum AttachAccess {
    /** Reads, and loads what is missing. */
    READ_WRITE(0),
    /** Reads what others have loaded; its descriptor of the buffers file is O_RDONLY. */
    READ_ONLY(1);

    private final int number;

    AttachAccess(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    static AttachAccess of(int number) throws MalformedMessage {
        for (var access : values()) {
            if (access.number == number) {
                return access;
            }
        }
        throw new MalformedMessage("The answer's access is " + number + "; known are 0 (ReadWrite) and 1 (ReadOnly).");
    }
}
