package io.numabufferpool.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Folders of files: one folder a case, {@code in-*.yaml} what goes in, {@code out-*.yaml} what must come out. A file that no
 * test reads fails. {@code -Dnumapool.render=true} writes what comes out instead of comparing it.
 */
public final class DerivedCases {
    private static final KubernetesSerialization YAML = new KubernetesSerialization();

    private DerivedCases() {}

    /** The cases of {@code src/test/resources/derived/KIND}. */
    public static List<Case> of(String kind) {
        var folder = Path.of("src/test/resources/derived", kind);
        try (Stream<Path> cases = Files.list(folder)) {
            return cases.sorted().map(Case::new).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One folder. */
    public static final class Case {
        private final Path folder;
        private final TreeSet<String> read = new TreeSet<>();

        private Case(Path folder) {
            this.folder = folder;
        }

        public <T> T in(String name, Class<T> type) {
            return find(name, type).orElseThrow(() -> new AssertionError(folder + "/in-" + name + ".yaml is missing"));
        }

        public <T> Optional<T> find(String name, Class<T> type) {
            var file = folder.resolve("in-" + name + ".yaml");
            if (!Files.exists(file)) {
                return Optional.empty();
            }
            read.add(file.getFileName().toString());
            return Optional.of(YAML.unmarshal(text(file), type));
        }

        /** Every {@code in-PREFIX-*.yaml}, by name. */
        public <T> List<T> all(String prefix, Class<T> type) {
            var found = new ArrayList<T>();
            for (var name : names()) {
                if (name.startsWith("in-" + prefix + "-")) {
                    read.add(name);
                    found.add(YAML.unmarshal(text(folder.resolve(name)), type));
                }
            }
            return found;
        }

        /** Compares, or writes. */
        public void out(String name, Object actual) {
            var file = folder.resolve("out-" + name + ".yaml");
            var text = YAML.asYaml(actual).replaceFirst("^---\\s", "");
            read.add(file.getFileName().toString());
            if (Boolean.getBoolean("numapool.render")) {
                try {
                    Files.writeString(file, text);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            assertThat(text)
                    .as("%s; refresh with: ./mvnw -q test -pl operator -am -Dnumapool.render=true", file)
                    .isEqualTo(text(file));
        }

        /** Fails where a file was not read. */
        public void everythingWasRead() {
            assertThat(names()).as("files of %s", folder).containsExactlyElementsOf(read);
        }

        private Set<String> names() {
            try (Stream<Path> files = Files.list(folder)) {
                var names = new TreeSet<String>();
                files.forEach(file -> names.add(file.getFileName().toString()));
                return names;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static String text(Path file) {
            try {
                return Files.readString(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String toString() {
            return folder.getFileName().toString();
        }
    }
}
