package io.numabufferpool.linux;

import java.io.IOException;
import java.nio.file.Path;

/** A program that maps a file and touches every page, says so, and keeps the mapping until its input ends. */
final class HoldsMapping {
    static final String READY = "mapped";

    private HoldsMapping() {}

    /** The argument: the file. */
    public static void main(String[] arguments) throws IOException {
        var linux = new JnaLinux();
        try (var file = linux.open(Path.of(arguments[0]), OpenMode.READ_WRITE, 0);
                var mapping = linux.map(file, 0, linux.status(file).bytes(), Protection.READ_WRITE, 2L << 20)) {
            var errno = linux.advise(mapping.memory(), Advice.POPULATE_WRITE);
            System.out.println(errno.ok() ? READY : errno.name());
            System.out.flush();
            System.in.transferTo(System.out);
        }
    }
}
