package io.numabufferpool.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How a file reads: length, names, words, and nothing that was left for later. */
final class TidyTest {
    /** Longer than this, a file has two concerns. */
    private static final int FILE_LINES_MAX = 500;

    /** Longer than this, a method does not fit a screen. */
    private static final int METHOD_LINES_MAX = 70;

    private static final Set<String> TOP_LEVEL =
            Set.of("pom.xml", "mvnw", "operator", "sidecar", "crds", "helm", "README.md", "LICENSE", "CHANGELOG.md");

    /** Split, so that this file does not speak of what it forbids. */
    private static final Pattern LEFT_FOR_LATER = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X|HA" + "CK)\\b");

    private static final Pattern NAME_THAT_HIDES_A_NOUN =
            Pattern.compile("(Utils?|Helpers?|Manager|Misc|Common)\\.java$");

    private static final Pattern SWALLOWED = Pattern.compile("catch \\([\\w| ]+ \\w+\\) *\\{ *\\}");

    private static final Pattern SWITCHED_OFF = Pattern.compile("@(Disab" + "led|Ign" + "ore)\\b(?!On|If)");

    /** The palantir format puts a member's first line at exactly four spaces, and its closing brace too. */
    private static final Pattern MEMBER_BEGINS = Pattern.compile(
            "^ {4}(?! )(?!(?:@|//|/\\*|\\*)).*\\(.*|^ {4}(?:public|private|protected|static|final|abstract|synchronized|<).*\\(.*");

    /** Words that STYLE gives another name; matched as whole parts of type names. */
    private static final List<String> TAKEN_WORDS =
            List.of("Frame", "Chunk", "Refcount", "Lru", "Purge", "Shard", "Region");

    @Test
    void topLevelHoldsTheHousePlanAndNothingElse() throws Exception {
        try (Stream<Path> entries = Files.list(SourceTree.root())) {
            var names = entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> !name.startsWith(".") && !name.equals("target"))
                    .collect(Collectors.toSet());

            assertThat(names).isEqualTo(TOP_LEVEL);
        }
    }

    @Test
    void filesAreShort() {
        var tooLong = SourceTree.javaFiles().stream()
                .filter(file -> SourceTree.lines(file).size() > FILE_LINES_MAX)
                .map(SourceTree::shown)
                .toList();

        assertThat(tooLong)
                .as("files over %d lines: split by concern", FILE_LINES_MAX)
                .isEmpty();
    }

    @Test
    void methodsFitAScreen() {
        var tooLong = new ArrayList<String>();
        for (var file : SourceTree.javaFiles()) {
            var lines = SourceTree.lines(file);
            int begin = -1;
            for (int i = 0; i < lines.size(); i++) {
                var line = lines.get(i);
                if (MEMBER_BEGINS.matcher(line).matches() && !line.endsWith(";")) {
                    begin = i;
                } else if (line.equals("    }") && begin >= 0) {
                    if (i - begin + 1 > METHOD_LINES_MAX) {
                        tooLong.add(SourceTree.shown(file) + ":" + (begin + 1) + " " + (i - begin + 1) + " lines");
                    }
                    begin = -1;
                }
            }
        }

        assertThat(tooLong).as("methods over %d lines", METHOD_LINES_MAX).isEmpty();
    }

    @Test
    void namesSayTheirNoun() {
        var vague = SourceTree.javaFiles().stream()
                .map(SourceTree::shown)
                .filter(name -> NAME_THAT_HIDES_A_NOUN.matcher(name).find())
                .toList();

        assertThat(vague).isEmpty();
    }

    @Test
    void oneWordPerIdea() {
        var other = SourceTree.javaFiles().stream()
                .filter(file -> file.toString().contains("src/main"))
                .filter(file -> TAKEN_WORDS.stream()
                        .anyMatch(word -> hasWord(file.getFileName().toString(), word)))
                .map(SourceTree::shown)
                .toList();

        assertThat(other)
                .as("type names with a word that has another name here: %s", TAKEN_WORDS)
                .isEmpty();
    }

    private static boolean hasWord(String fileName, String word) {
        return Pattern.compile(word + "(?![a-z])").matcher(fileName).find();
    }

    @Test
    void nothingIsLeftForLater() {
        assertThat(linesMatching(LEFT_FOR_LATER, ".java", ".c", ".h", ".yaml", ".sh", ".tpl"))
                .isEmpty();
    }

    @Test
    void noFaultIsSwallowed() {
        assertThat(linesMatching(SWALLOWED, ".java")).isEmpty();
    }

    @Test
    void noTestIsSwitchedOff() {
        assertThat(linesMatching(SWITCHED_OFF, ".java")).isEmpty();
    }

    @Test
    void everyPackageSaysWhatIsInside() {
        var silent = SourceTree.javaFiles().stream()
                .filter(file -> file.toString().contains("src/main/java"))
                .map(Path::getParent)
                .distinct()
                .filter(folder -> !Files.exists(folder.resolve("package-info.java"))
                        || SourceTree.lines(folder.resolve("package-info.java")).stream()
                                .noneMatch(line -> line.equals("@NullMarked")))
                .map(SourceTree::shown)
                .toList();

        assertThat(silent)
                .as("packages without a package-info.java with @NullMarked")
                .isEmpty();
    }

    /** A fixture folder or file that no test names is dead weight; naming its parent folder reads all that is in it. */
    @Test
    void everyFixtureIsReadBySomeTest() {
        var unread = new ArrayList<String>();
        for (var module : SourceTree.modules()) {
            var resources = module.resolve("src/test/resources");
            if (Files.isDirectory(resources)) {
                var tests = SourceTree.javaFiles().stream()
                        .filter(file -> file.startsWith(SourceTree.root())
                                && file.toString().contains("src/test/java"))
                        .map(file -> String.join("\n", SourceTree.lines(file)))
                        .collect(Collectors.joining("\n"));
                entries(resources).stream()
                        .filter(name -> !name.equals("META-INF") && !name.equals("junit-platform.properties"))
                        .filter(name -> !tests.contains("\"" + name) && !tests.contains("/" + name))
                        .forEach(name -> unread.add(SourceTree.shown(resources.resolve(name))));
            }
        }

        assertThat(unread).isEmpty();
    }

    private static List<String> entries(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static List<String> linesMatching(Pattern pattern, String... nameEnds) {
        var found = new ArrayList<String>();
        for (var nameEnd : nameEnds) {
            for (var file : SourceTree.filesMatching(nameEnd)) {
                var lines = SourceTree.lines(file);
                for (int i = 0; i < lines.size(); i++) {
                    if (pattern.matcher(lines.get(i)).find()) {
                        found.add(SourceTree.shown(file) + ":" + (i + 1) + ": "
                                + lines.get(i).strip());
                    }
                }
            }
        }
        return found;
    }
}
