package io.numabufferpool.operator.injection;

/**
 * What the administrator chose for every sidecar, as chart values. Immutable.
 *
 * @param image of the sidecar
 * @param pullPolicy of that image
 * @param cpuRequest of a sidecar whose pool does not say
 * @param cpuLimit of a sidecar whose pool does not say; empty: none
 * @param cpuGuaranteed request and limit in a Guaranteed pod whose pool does not say
 * @param seccompLocalhostProfile below the kubelet's seccomp folder; empty: the runtime's default profile
 * @param operatorUrl where sidecars report to
 */
public record InjectionSettings(
        String image,
        String pullPolicy,
        String cpuRequest,
        String cpuLimit,
        String cpuGuaranteed,
        String seccompLocalhostProfile,
        String operatorUrl) {}
