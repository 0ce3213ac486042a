package io.numabufferpool.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** The sidecar has no Fabric8: what it reads and sends must load and travel without. */
class WithoutFabric8Test {
    @Test
    void aReportTravelsWithoutFabric8OnTheClassPath() throws Exception {
        try (var loader =
                new URLClassLoader("without-fabric8", withoutFabric8(), ClassLoader.getPlatformClassLoader())) {
            assertThatThrownBy(() -> loader.loadClass("io.fabric8.kubernetes.client.CustomResource"))
                    .isInstanceOf(ClassNotFoundException.class);
            var mapper = loader.loadClass("com.fasterxml.jackson.databind.ObjectMapper");
            var json = mapper.getConstructor().newInstance();
            var read = mapper.getMethod("readValue", String.class, Class.class);
            var write = mapper.getMethod("writeValueAsString", Object.class);
            var spec = loader.loadClass(NumaBufferPoolSpec.class.getName());
            var report = loader.loadClass(PlacementReport.class.getName());

            var readSpec = read.invoke(json, "{\"size\": \"4Gi\", \"placement\": {\"nodes\": \"0-1\"}}", spec);
            var problems = loader.loadClass(NumaBufferPoolSpecChecks.class.getName())
                    .getMethod("check", spec)
                    .invoke(null, readSpec);
            var readReport = read.invoke(json, REPORT, report);

            assertThat(problems).hasToString("[]");
            assertThat((String) write.invoke(json, readReport)).isEqualTo(REPORT);
        }
    }

    private static final String REPORT =
            "{\"sequence\":7,\"generation\":\"1f\",\"pool\":{\"name\":\"orders\",\"uid\":\"u1\","
                    + "\"generation\":3},\"pod\":{\"namespace\":\"shop\",\"name\":\"db-0\",\"uid\":\"u2\",\"kubeNode\":\"n1\"},"
                    + "\"status\":{\"phase\":\"Deciding\",\"sequence\":7,\"numaNodes\":[],\"partitions\":[],\"conditions\":[]}}";

    private static URL[] withoutFabric8() throws MalformedURLException {
        var urls = new ArrayList<URL>();
        for (var entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!entry.contains("fabric8")) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        return urls.toArray(URL[]::new);
    }
}
