package io.numabufferpool.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/** Image archives as {@code docker save} writes them, made without any container tool. */
final class ImageArchive {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String MANIFEST = "manifest.json";

    private ImageArchive() {}

    /** An image that holds one static program at its root and runs it. */
    static void write(Path archive, String tag, Path program) throws IOException {
        var entrypoint = "/" + program.getFileName();
        var layer = tar(Map.of(entrypoint.substring(1), Files.readAllBytes(program)));
        var config = JSON.writeValueAsBytes(Map.of(
                "architecture",
                architecture(),
                "os",
                "linux",
                "config",
                Map.of("Entrypoint", List.of(entrypoint)),
                "rootfs",
                Map.of("type", "layers", "diff_ids", List.of("sha256:" + sha256(layer)))));
        var manifest = JSON.writeValueAsBytes(
                List.of(Map.of("Config", "config.json", "RepoTags", List.of(tag), "Layers", List.of("layer.tar"))));
        Files.write(archive, tar(Map.of(MANIFEST, manifest, "config.json", config, "layer.tar", layer)));
    }

    /** The same image under one more tag, in one archive. */
    static void writeWithTag(Path archive, String tag, Path original) throws IOException {
        try (var in = new TarArchiveInputStream(Files.newInputStream(original));
                var out = new TarArchiveOutputStream(Files.newOutputStream(archive))) {
            out.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            for (var entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                if (entry.getName().equals(MANIFEST)) {
                    var manifest = JSON.readTree(in.readAllBytes());
                    manifest.forEach(image -> ((ArrayNode) image.get("RepoTags")).add(tag));
                    put(out, MANIFEST, JSON.writeValueAsBytes(manifest));
                } else {
                    out.putArchiveEntry(entry);
                    in.transferTo(out);
                    out.closeArchiveEntry();
                }
            }
        }
    }

    private static byte[] tar(Map<String, byte[]> files) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new TarArchiveOutputStream(bytes)) {
            for (var file : files.entrySet()) {
                put(out, file.getKey(), file.getValue());
            }
        }
        return bytes.toByteArray();
    }

    private static void put(TarArchiveOutputStream out, String name, byte[] bytes) throws IOException {
        var entry = new TarArchiveEntry(name);
        entry.setSize(bytes.length);
        entry.setMode(0100755);
        out.putArchiveEntry(entry);
        new ByteArrayInputStream(bytes).transferTo(out);
        out.closeArchiveEntry();
    }

    private static String architecture() {
        return System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
