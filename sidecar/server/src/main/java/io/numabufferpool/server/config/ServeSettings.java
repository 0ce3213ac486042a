package io.numabufferpool.server.config;

import io.numabufferpool.crds.NumaBufferPoolSpec;
import io.numabufferpool.crds.PodReference;
import io.numabufferpool.crds.PoolReference;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Everything that {@code serve} has to know. Immutable.
 *
 * @param pool which pool
 * @param pod which pod this sidecar belongs to; empty outside Kubernetes
 * @param spec what was asked for, checked
 * @param poolFile where the spec comes from outside Kubernetes: an edited one is followed
 * @param folders where its files lie
 * @param operatorUrl whom to ask and to report to; empty outside Kubernetes
 * @param httpPort of health and metrics; 0: any free one
 */
public record ServeSettings(
        PoolReference pool,
        Optional<PodReference> pod,
        NumaBufferPoolSpec spec,
        Optional<Path> poolFile,
        PoolFolders folders,
        Optional<URI> operatorUrl,
        int httpPort) {
    /** The port that the injected probes ask. */
    public static final int HTTP_PORT_IN_POD = 8471;

    private static final String LOCAL_UID = "local";

    /** From the environment of an injected sidecar. */
    public static ServeSettings inPod(PoolEnvironment environment, int httpPort) {
        var pool = new PoolReference(
                environment.read("NUMAPOOL_POOL"),
                environment.read("NUMAPOOL_POOL_UID"),
                environment.readNumber("NUMAPOOL_POOL_GENERATION"));
        var pod = new PodReference(
                environment.read("NUMAPOOL_NAMESPACE"),
                environment.read("NUMAPOOL_POD_NAME"),
                environment.read("NUMAPOOL_POD_UID"),
                environment.find("NUMAPOOL_KUBE_NODE").orElse(null));
        var operator = environment.find("NUMAPOOL_OPERATOR_URL").map(ServeSettings::operatorUrl);
        return new ServeSettings(
                pool, Optional.of(pod), environment.spec(), Optional.empty(), PoolFolders.IN_POD, operator, httpPort);
    }

    /** From a file, without Kubernetes; the folders exist. */
    public static ServeSettings outsidePod(Path path, PoolFile file, PoolFolders folders, int httpPort) {
        return new ServeSettings(
                new PoolReference(file.name(), LOCAL_UID, 1),
                Optional.empty(),
                file.spec(),
                Optional.of(path),
                folders,
                Optional.empty(),
                httpPort);
    }

    private static URI operatorUrl(String text) {
        try {
            var url = new URI(text);
            if ("https".equals(url.getScheme()) && url.getHost() != null) {
                return url;
            }
        } catch (URISyntaxException malformed) {
            throw new InvalidSettings(
                    "The environment variable NUMAPOOL_OPERATOR_URL is no URL: " + malformed.getMessage() + ".");
        }
        throw new InvalidSettings("The environment variable NUMAPOOL_OPERATOR_URL is \"" + text
                + "\"; it must begin with https:// and name a host, because a token is sent there.");
    }
}
