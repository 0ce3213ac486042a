package io.numabufferpool.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The import table: which module may use which other, and who alone touches what from outside. */
final class ArchitectureTest {
    private static final String BASE = "io.numabufferpool.";

    /** Module package -> the module packages that it may use besides itself. */
    private static final Map<String, Set<String>> MAY_IMPORT = Map.of(
            "layout", Set.of(),
            "placement", Set.of(),
            "linux", Set.of("placement"),
            "crds", Set.of("placement"),
            "pool", Set.of("layout", "linux", "placement"),
            "client", Set.of("pool", "layout", "linux", "placement"),
            "server", Set.of("client", "pool", "layout", "linux", "placement", "crds"),
            "bench", Set.of("client", "pool", "layout", "linux", "placement"),
            "operator", Set.of("crds", "placement"));

    private static JavaClasses product;

    @BeforeAll
    static void importProduct() {
        List<Path> folders = SourceTree.modules().stream()
                .map(module -> module.resolve("target/classes"))
                .filter(Files::isDirectory)
                .toList();
        product = new ClassFileImporter().importPaths(folders);
    }

    @Test
    void everyModuleOfTheTableIsThere() {
        var seen = product.stream()
                .map(ArchitectureTest::module)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toSet());

        assertThat(seen).containsExactlyInAnyOrderElementsOf(MAY_IMPORT.keySet());
    }

    @Test
    void modulesImportOnlyWhatTheTableAllows() {
        var broken = new TreeSet<String>();
        for (JavaClass user : product) {
            var allowed = MAY_IMPORT.getOrDefault(module(user), Set.of());
            for (var dependency : user.getDirectDependenciesFromSelf()) {
                var used = module(dependency.getTargetClass());
                if (!used.isEmpty() && !used.equals(module(user)) && !allowed.contains(used)) {
                    broken.add(dependency.getDescription());
                }
            }
        }

        assertThat(broken).isEmpty();
    }

    @Test
    void layoutAndPlacementUseNothingButTheJdk() {
        assertThat(outsideUsedBy("layout", "placement")).isEmpty();
    }

    @Test
    void linuxAloneUsesJna() {
        var users = product.stream()
                .filter(user -> !module(user).equals("linux"))
                .flatMap(user -> user.getDirectDependenciesFromSelf().stream())
                .filter(dependency ->
                        dependency.getTargetClass().getPackageName().startsWith("com.sun.jna"))
                .map(dependency -> dependency.getDescription())
                .toList();

        assertThat(users).isEmpty();
    }

    @Test
    void clientAndPoolStaySmall() {
        assertThat(outsideUsedBy("pool", "client")).isEmpty();
    }

    /** Packages from outside the JDK and this project that classes of these modules use. */
    private static Set<String> outsideUsedBy(String... modules) {
        var wanted = Set.of(modules);
        return product.stream()
                .filter(user -> wanted.contains(module(user)))
                .flatMap(user -> user.getDirectDependenciesFromSelf().stream())
                .map(dependency ->
                        dependency.getTargetClass().getBaseComponentType().getPackageName())
                .filter(name -> !name.isEmpty()
                        && !name.startsWith("java.")
                        && !name.startsWith("jdk.jfr")
                        && !name.startsWith("org.jspecify")
                        && !name.startsWith(BASE))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String module(JavaClass type) {
        var name = type.getBaseComponentType().getPackageName();
        if (!name.startsWith(BASE)) {
            return "";
        }
        var rest = name.substring(BASE.length());
        return rest.contains(".") ? rest.substring(0, rest.indexOf('.')) : rest;
    }
}
