package io.numabufferpool.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The profile that the chart brings for the kubelet's seccomp folder. */
final class SeccompProfileTest {
    private static JsonNode profile() throws IOException {
        return new ObjectMapper()
                .readTree(Path.of(
                                System.getProperty("numapool.root"),
                                "helm/numa-buffer-pool/files/numapool-seccomp.json")
                        .toFile());
    }

    /** Names that are allowed whatever their arguments are. */
    private static Set<String> allowed() throws IOException {
        var names = new TreeSet<String>();
        for (var rule : profile().get("syscalls")) {
            if (rule.get("action").asText().equals("SCMP_ACT_ALLOW") && !rule.has("args")) {
                rule.get("names").forEach(name -> names.add(name.asText()));
            }
        }
        return names;
    }

    @Test
    void theCallsOfMemoryPolicyAreAllowed() throws IOException {
        assertThat(allowed()).contains("mbind", "set_mempolicy", "get_mempolicy", "madvise", "sched_setaffinity");
    }

    @Test
    void whatTheDefaultProfileForbidsStaysForbidden() throws IOException {
        assertThat(profile().get("defaultAction").asText()).isEqualTo("SCMP_ACT_ERRNO");
        assertThat(allowed())
                .doesNotContain("move_pages", "migrate_pages", "mount", "bpf", "setns", "unshare", "kexec_load");
    }
}
