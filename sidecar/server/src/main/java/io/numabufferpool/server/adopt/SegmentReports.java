package io.numabufferpool.server.adopt;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The reports that lie in a folder. Every program that ran there may write into it, so nothing about it is trusted: neither the
 * number of files, nor their size, nor what is in them. Immutable.
 *
 * @param reports those that could be read, by process and address of writing
 * @param unreadable one sentence for each file that could not
 */
public record SegmentReports(List<SegmentReport> reports, List<String> unreadable) {
    /** A program writes at most 1024; a folder with more belongs to many programs or to somebody who means harm. */
    private static final int FILES_MAX = 16_384;

    /** 256 nodes in two lines of 30 characters each, and the rest. */
    private static final int FILE_BYTES_MAX = 32_768;

    public SegmentReports {
        reports = List.copyOf(reports);
        unreadable = List.copyOf(unreadable);
    }

    /** Reads the folder once. */
    public static SegmentReports read(Path folder) {
        var reports = new ArrayList<SegmentReport>();
        var unreadable = new ArrayList<String>();
        try (var files = Files.newDirectoryStream(folder, "*.report")) {
            int seen = 0;
            for (var file : files) {
                if (++seen > FILES_MAX) {
                    unreadable.add("There are more than " + FILES_MAX + " reports; the rest was not read.");
                    break;
                }
                try {
                    reports.add(read1(file));
                } catch (IOException | SegmentReport.Malformed wrong) {
                    unreadable.add("Report " + file.getFileName() + " cannot be read: " + wrong.getMessage() + ".");
                }
            }
        } catch (IOException | DirectoryIteratorException gone) {
            unreadable.add("The folder of reports " + folder + " cannot be read: " + gone.getMessage() + ".");
        }
        reports.sort(Comparator.comparingLong(SegmentReport::process)
                .thenComparing(Comparator.comparingLong(SegmentReport::bytes).reversed()));
        return new SegmentReports(reports, unreadable);
    }

    private static SegmentReport read1(Path file) throws IOException, SegmentReport.Malformed {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new SegmentReport.Malformed("it is no ordinary file");
        }
        try (var bytes = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            var text = bytes.readNBytes(FILE_BYTES_MAX + 1);
            if (text.length > FILE_BYTES_MAX) {
                throw new SegmentReport.Malformed("it is larger than " + FILE_BYTES_MAX + " bytes");
            }
            return SegmentReport.parse(
                    new String(text, StandardCharsets.ISO_8859_1).lines().toList());
        }
    }
}
