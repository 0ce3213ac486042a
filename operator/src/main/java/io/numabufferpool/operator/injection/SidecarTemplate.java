package io.numabufferpool.operator.injection;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SeccompProfile;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.numabufferpool.operator.cluster.ResourceNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The container and the volumes that a pod gets, as the chart's injection.yaml has them. */
final class SidecarTemplate {
    static final String CONTAINER = "numa-buffer-pool";
    static final String ATTACH_FOLDER = "/run/numa-buffer-pool";
    static final String ATTACH_VOLUME = CONTAINER + "-attach";

    private static final String SEGMENT_VOLUME = CONTAINER + "-segment";
    private static final String NO_TOKEN_VOLUME = CONTAINER + "-no-token";
    private static final String TOKEN_VOLUME = CONTAINER + "-token";
    private static final String HUGE_PAGES_VOLUME = CONTAINER + "-hugepages";

    private static final String AUDIENCE = "numabufferpool.io";

    /** The kubelet renews it at 80 % of that. */
    private static final long TOKEN_SECONDS = 3600;

    private static final int HTTP_PORT = 8471;
    private static final long USER = 65532;

    /** A probe must not end a start that is slow; the sidecar itself gives up after 5 minutes without progress. */
    private static final int NEVER = Integer.MAX_VALUE;

    private final PoolParameters pool;
    private final InjectionSettings settings;

    SidecarTemplate(PoolParameters pool, InjectionSettings settings) {
        this.pool = pool;
        this.settings = settings;
    }

    List<Volume> volumes() {
        var volumes = new ArrayList<>(List.of(
                memory(SEGMENT_VOLUME, "Memory"),
                emptyDir(ATTACH_VOLUME),
                emptyDir(NO_TOKEN_VOLUME),
                new VolumeBuilder()
                        .withName(TOKEN_VOLUME)
                        .withNewProjected()
                        .addNewSource()
                        .withNewServiceAccountToken(AUDIENCE, TOKEN_SECONDS, "token")
                        .endSource()
                        .addNewSource()
                        .withNewConfigMap()
                        .withName(ResourceNames.CA_CONFIG_MAP)
                        .withOptional(true)
                        .addNewItem(ResourceNames.CA_KEY, null, ResourceNames.CA_KEY)
                        .endConfigMap()
                        .endSource()
                        .endProjected()
                        .build()));
        if (pool.reserved()) {
            volumes.add(memory(HUGE_PAGES_VOLUME, "HugePages-" + pool.hugePageSize()));
        }
        return volumes;
    }

    private static Volume memory(String name, String medium) {
        return new VolumeBuilder()
                .withName(name)
                .withNewEmptyDir()
                .withMedium(medium)
                .endEmptyDir()
                .build();
    }

    private static Volume emptyDir(String name) {
        return new VolumeBuilder()
                .withName(name)
                .withNewEmptyDir()
                .endEmptyDir()
                .build();
    }

    static VolumeMount attachMount() {
        return mount(ATTACH_VOLUME, ATTACH_FOLDER);
    }

    private static VolumeMount mount(String name, String path) {
        return new VolumeMountBuilder().withName(name).withMountPath(path).build();
    }

    private static VolumeMount readOnlyMount(String name, String path) {
        return new VolumeMountBuilder(mount(name, path)).withReadOnly(true).build();
    }

    Container container(boolean guaranteed) {
        var environment = new ArrayList<>(List.of(
                fromPod("NUMAPOOL_NAMESPACE", "metadata.namespace"),
                fromPod("NUMAPOOL_POD_NAME", "metadata.name"),
                fromPod("NUMAPOOL_POD_UID", "metadata.uid"),
                fromPod("NUMAPOOL_KUBE_NODE", "spec.nodeName")));
        environment.addAll(pool.variables(settings.operatorUrl()));
        return new ContainerBuilder()
                .withName(CONTAINER)
                .withImage(settings.image())
                .withImagePullPolicy(settings.pullPolicy())
                .withRestartPolicy("Always")
                .withArgs("serve")
                .withEnv(environment)
                .addNewPort()
                .withName("numapool-http")
                .withContainerPort(HTTP_PORT)
                .withProtocol("TCP")
                .endPort()
                .withVolumeMounts(mounts())
                .withNewResources()
                .withRequests(requests(guaranteed))
                .withLimits(limits(guaranteed))
                .endResources()
                .withNewStartupProbe()
                .withNewHttpGet()
                .withPath("/q/health/started")
                .withNewPort(HTTP_PORT)
                .endHttpGet()
                .withPeriodSeconds(1)
                .withTimeoutSeconds(5)
                .withFailureThreshold(NEVER)
                .endStartupProbe()
                .withNewLivenessProbe()
                .withNewHttpGet()
                .withPath("/q/health/live")
                .withNewPort(HTTP_PORT)
                .endHttpGet()
                .withPeriodSeconds(20)
                .withTimeoutSeconds(10)
                .withFailureThreshold(6)
                .endLivenessProbe()
                .withSecurityContext(restricted())
                .build();
    }

    private static EnvVar fromPod(String name, String field) {
        return new EnvVarBuilder()
                .withName(name)
                .withNewValueFrom()
                .withNewFieldRef()
                .withFieldPath(field)
                .endFieldRef()
                .endValueFrom()
                .build();
    }

    private List<VolumeMount> mounts() {
        var mounts = new ArrayList<>(List.of(
                mount(SEGMENT_VOLUME, "/segment"),
                attachMount(),
                readOnlyMount(TOKEN_VOLUME, "/var/run/secrets/numabufferpool.io"),
                readOnlyMount(NO_TOKEN_VOLUME, "/var/run/secrets/kubernetes.io/serviceaccount")));
        if (pool.reserved()) {
            mounts.add(mount(HUGE_PAGES_VOLUME, "/hugepages"));
        }
        return mounts;
    }

    private Map<String, Quantity> requests(boolean guaranteed) {
        var requests = hugePagesAndMemory();
        requests.put("cpu", new Quantity(cpuRequest(guaranteed)));
        return requests;
    }

    private Map<String, Quantity> limits(boolean guaranteed) {
        var limits = hugePagesAndMemory();
        var cpu = guaranteed
                ? cpuRequest(true)
                : pool.sidecarResource("limits", "cpu").orElse(settings.cpuLimit());
        if (!cpu.isEmpty()) {
            limits.put("cpu", new Quantity(cpu));
        }
        return limits;
    }

    private Map<String, Quantity> hugePagesAndMemory() {
        var resources = new LinkedHashMap<String, Quantity>();
        resources.put("memory", new Quantity(pool.memory()));
        if (pool.reserved()) {
            resources.put("hugepages-" + pool.hugePageSize(), new Quantity(pool.sizeMax()));
        }
        return resources;
    }

    /** In a Guaranteed pod the limit counts first, because both have to be equal. */
    private String cpuRequest(boolean guaranteed) {
        var limit = pool.sidecarResource("limits", "cpu");
        var request = pool.sidecarResource("requests", "cpu");
        return guaranteed
                ? limit.or(() -> request).orElse(settings.cpuGuaranteed())
                : request.or(() -> limit).orElse(settings.cpuRequest());
    }

    private SecurityContext restricted() {
        return new SecurityContextBuilder()
                .withRunAsUser(USER)
                .withRunAsGroup(USER)
                .withRunAsNonRoot(true)
                .withReadOnlyRootFilesystem(true)
                .withAllowPrivilegeEscalation(false)
                .withNewCapabilities()
                .addToDrop("ALL")
                .endCapabilities()
                .withSeccompProfile(seccompProfile())
                .build();
    }

    private SeccompProfile seccompProfile() {
        var profile = settings.seccompLocalhostProfile();
        return profile.isEmpty()
                ? new SeccompProfile(null, "RuntimeDefault")
                : new SeccompProfile(profile, "Localhost");
    }
}
