package io.numabufferpool.server.segment;

import io.numabufferpool.linux.FileStatus;
import io.numabufferpool.linux.Linux;
import io.numabufferpool.linux.LinuxFile;
import io.numabufferpool.linux.OpenMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * Makes the two files, and finds those that an earlier process of this sidecar published. For one thread.
 *
 * <p>Invariant: a control file under its final name is a complete, published segment. While a segment is being made its files
 * have other names, so what a killed sidecar left half done can be told from what somebody truncated: the first is made
 * again, the second is an error and stays as it is.
 */
public final class SegmentCreator {
    /** Only the sidecar opens them by name; clients get descriptors. */
    private static final int PERMISSIONS = 0600;

    /** What a file is called until it is published. */
    private static final String UNFINISHED = ".new";

    /** Beside the control file: the decision in JSON, so that a restarted sidecar knows what was wanted. */
    private static final String DECISION = "decision.json";

    private final Linux linux;
    private final Path controlFolder;
    private final Path buffersFolder;

    public SegmentCreator(Linux linux, Path controlFolder, Path buffersFolder) {
        this.linux = linux;
        this.controlFolder = controlFolder;
        this.buffersFolder = buffersFolder;
    }

    /**
     * The files of a published segment, open for reading and writing; empty where there is none.
     *
     * @throws UnusableSegment where something else lies there
     */
    public Optional<SegmentFiles> findPublished() {
        boolean control = Files.exists(path(SegmentFile.CONTROL));
        boolean buffers = Files.exists(path(SegmentFile.BUFFERS));
        // Published is: buffers renamed first, then control.
        boolean diedBetween = buffers && !control && Files.exists(unfinished(SegmentFile.CONTROL));
        if (!control && (!buffers || diedBetween)) {
            return Optional.empty();
        }
        if (!control || !buffers) {
            var there = path(control ? SegmentFile.CONTROL : SegmentFile.BUFFERS);
            var missing = path(control ? SegmentFile.BUFFERS : SegmentFile.CONTROL);
            throw new UnusableSegment(
                    "There is " + there + " but no " + missing + ": half a segment, or a foreign file. " + fix());
        }
        var controlFile = open(SegmentFile.CONTROL);
        try {
            var buffersFile = open(SegmentFile.BUFFERS);
            return Optional.of(new SegmentFiles(
                    controlFile,
                    buffersFile,
                    linux.status(controlFile).bytes(),
                    linux.status(buffersFile).bytes()));
        } catch (RuntimeException failed) {
            controlFile.close();
            throw failed;
        }
    }

    private LinuxFile open(SegmentFile kind) {
        var file = linux.open(path(kind), OpenMode.READ_WRITE, 0);
        var status = linux.status(file);
        int uid = linux.processStatus().uid();
        boolean ours = status.kind() == FileStatus.Kind.REGULAR
                && status.uid() == uid
                && (status.permissions() & 0777) == PERMISSIONS;
        if (!ours || status.bytes() == 0) {
            file.close();
            throw new UnusableSegment(path(kind) + " is no file of a segment: it has " + status.bytes() + " bytes, uid "
                    + status.uid() + " and mode " + Integer.toOctalString(status.permissions())
                    + "; the sidecar's have uid "
                    + uid + " and mode 600. " + fix());
        }
        return file;
    }

    /** What to do about something that is in the way. */
    public String fix() {
        var folders = controlFolder.equals(buffersFolder)
                ? controlFolder.toString()
                : controlFolder + " and " + buffersFolder;
        return "Nothing was changed. Stop the clients, remove the files in " + folders
                + " (in Kubernetes: delete the pod), and start again.";
    }

    /** Two new files of that length, all holes. What an earlier process left half done is removed. */
    public SegmentFiles create(long controlBytes, long buffersBytes) {
        discardUnfinished();
        var control = create(SegmentFile.CONTROL, controlBytes);
        try {
            return new SegmentFiles(control, create(SegmentFile.BUFFERS, buffersBytes), controlBytes, buffersBytes);
        } catch (RuntimeException failed) {
            control.close();
            discardUnfinished();
            throw failed;
        }
    }

    private LinuxFile create(SegmentFile kind, long bytes) {
        var file = linux.open(unfinished(kind), OpenMode.CREATE_NEW, PERMISSIONS);
        try {
            linux.setLength(file, bytes);
            return file;
        } catch (RuntimeException failed) {
            file.close();
            throw failed;
        }
    }

    /** Gives the memory of an unfinished segment back. */
    public void discardUnfinished() {
        try {
            if (Files.exists(unfinished(SegmentFile.CONTROL)) && !Files.exists(path(SegmentFile.CONTROL))) {
                Files.deleteIfExists(path(SegmentFile.BUFFERS));
            }
            Files.deleteIfExists(unfinished(SegmentFile.BUFFERS));
            Files.deleteIfExists(unfinished(SegmentFile.CONTROL));
        } catch (IOException failed) {
            throw new UncheckedIOException("removing an unfinished segment in " + controlFolder, failed);
        }
    }

    /** Gives formatted files their final names, with the decision beside them. From now on a restarted sidecar re-adopts them. */
    public void publish(String decisionJson) {
        try {
            writeDecision(decisionJson);
            move(SegmentFile.BUFFERS);
            move(SegmentFile.CONTROL);
        } catch (IOException failed) {
            throw new UncheckedIOException("publishing the segment in " + controlFolder, failed);
        }
    }

    /** Another decision for a published segment, whole or not at all. */
    public void replaceDecision(String decisionJson) {
        try {
            writeDecision(decisionJson);
        } catch (IOException failed) {
            throw new UncheckedIOException("writing the decision beside the segment", failed);
        }
    }

    private void writeDecision(String decisionJson) throws IOException {
        var written = controlFolder.resolve(DECISION + UNFINISHED);
        Files.deleteIfExists(written);
        Files.createFile(written, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(written, decisionJson, StandardCharsets.UTF_8);
        Files.move(written, controlFolder.resolve(DECISION), StandardCopyOption.ATOMIC_MOVE);
    }

    private void move(SegmentFile kind) throws IOException {
        Files.move(unfinished(kind), path(kind), StandardCopyOption.ATOMIC_MOVE);
    }

    /** The decision that the published segment was made by; empty where the file is gone. */
    public Optional<String> readDecision() {
        try {
            return Optional.of(Files.readString(controlFolder.resolve(DECISION), StandardCharsets.UTF_8));
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        } catch (IOException failed) {
            throw new UncheckedIOException("reading the decision beside the segment", failed);
        }
    }

    /** Removes a published segment: nobody may have it attached. */
    public void remove() {
        try {
            Files.deleteIfExists(path(SegmentFile.CONTROL));
            Files.deleteIfExists(path(SegmentFile.BUFFERS));
            Files.deleteIfExists(controlFolder.resolve(DECISION));
        } catch (IOException failed) {
            throw new UncheckedIOException("removing the segment in " + controlFolder, failed);
        }
    }

    private Path path(SegmentFile kind) {
        return folder(kind).resolve(kind.fileName());
    }

    private Path unfinished(SegmentFile kind) {
        return folder(kind).resolve(kind.fileName() + UNFINISHED);
    }

    private Path folder(SegmentFile kind) {
        return kind == SegmentFile.CONTROL ? controlFolder : buffersFolder;
    }
}
