package io.numabufferpool.operator;

import io.numabufferpool.operator.injection.InjectionSettings;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The chart's values for sidecars, as the Deployment's environment brings them. Used where injection is a webhook. */
@Singleton
final class InjectionConfig {
    private final InjectionSettings settings;

    @Inject
    InjectionConfig(
            @ConfigProperty(name = "numapool.sidecar.image") String image,
            @ConfigProperty(name = "numapool.sidecar.pull-policy") String pullPolicy,
            @ConfigProperty(name = "numapool.sidecar.cpu.request") String cpuRequest,
            @ConfigProperty(name = "numapool.sidecar.cpu.limit") Optional<String> cpuLimit,
            @ConfigProperty(name = "numapool.sidecar.cpu.guaranteed") String cpuGuaranteed,
            @ConfigProperty(name = "numapool.sidecar.seccomp-localhost-profile") Optional<String> seccompProfile,
            @ConfigProperty(name = "numapool.service") String service,
            @ConfigProperty(name = "numapool.namespace") String namespace) {
        settings = new InjectionSettings(
                image,
                pullPolicy,
                cpuRequest,
                cpuLimit.orElse(""),
                cpuGuaranteed,
                seccompProfile.orElse(""),
                "https://" + service + "." + namespace + ".svc:443");
    }

    InjectionSettings settings() {
        return settings;
    }
}
