package io.numabufferpool.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.numabufferpool.crds.NumaBufferPoolSpec;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolEnvironmentTest {
    private static final Map<String, String> LEAST = Map.of(
            "NUMAPOOL_POOL", "orders",
            "NUMAPOOL_POOL_UID", "0b7c",
            "NUMAPOOL_POOL_GENERATION", "3",
            "NUMAPOOL_NAMESPACE", "shop",
            "NUMAPOOL_POD_NAME", "db-0",
            "NUMAPOOL_POD_UID", "77aa",
            "NUMAPOOL_SIZE", "1Gi");

    private static PoolEnvironment with(String variable, String value) {
        var environment = new HashMap<>(LEAST);
        environment.put(variable, value);
        return new PoolEnvironment(environment);
    }

    @Test
    void whatIsAbsentHasTheDefaultOfTheApi() {
        assertThat(new PoolEnvironment(LEAST).spec()).isEqualTo(NumaBufferPoolSpec.ofSize("1Gi"));
    }

    @Test
    void anEmptyVariableIsAnAbsentOne() {
        assertThat(with("NUMAPOOL_MAX_SIZE", "").spec()).isEqualTo(NumaBufferPoolSpec.ofSize("1Gi"));
    }

    @Test
    void poolPodAndOperatorAreThoseOfTheInjection() {
        var settings = ServeSettings.inPod(
                with("NUMAPOOL_OPERATOR_URL", "https://numa-buffer-pool-operator.system.svc:443"), 8471);

        assertThat(settings.pool().name()).isEqualTo("orders");
        assertThat(settings.pool().generation()).isEqualTo(3);
        assertThat(settings.pod().orElseThrow().namespace()).isEqualTo("shop");
        assertThat(settings.operatorUrl().orElseThrow()).hasHost("numa-buffer-pool-operator.system.svc");
        assertThat(settings.folders()).isEqualTo(PoolFolders.IN_POD);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NUMAPOOL_SIZE | 1023Ki | spec.size: 1023Ki",
                "NUMAPOOL_BUFFER_SIZE | 7Ki | spec.bufferSize: \"7Ki\" is not one of 4Ki, 8Ki, 16Ki, 32Ki, 64Ki.",
                "NUMAPOOL_POLICY | Spread | spec.placement.policy: \"Spread\" is not one of",
                "NUMAPOOL_SLOTS_MAX | many | NUMAPOOL_SLOTS_MAX is \"many\"; it must be a whole number.",
                "NUMAPOOL_WEIGHTS | 0:3 | pairs of a NUMA node and its weight, such as \"0=3,1=1\".",
                "NUMAPOOL_BIND_CPUS | perhaps | spec.placement.bindCpus",
                "NUMAPOOL_NODES | 0-x | spec.placement.nodes"
            })
    void whatIsWrongIsNamed(String variable, String value, String words) {
        assertThatThrownBy(() -> with(variable, value).spec())
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @CsvSource({"http://operator:80", "operator", "https:///v1", "https://a b"})
    void aTokenIsSentOverHttpsOnly(String url) {
        assertThatThrownBy(() -> ServeSettings.inPod(with("NUMAPOOL_OPERATOR_URL", url), 8471))
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining("NUMAPOOL_OPERATOR_URL");
    }
}
