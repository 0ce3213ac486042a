package io.numabufferpool.client;

import java.io.IOException;

/** The file of a space is no longer the one that was opened: replaced, or of another length. Open it again to read the new one. */
public final class SpaceChanged extends IOException {
    private static final long serialVersionUID = 1L;

    SpaceChanged(String message) {
        super(message);
    }
}
