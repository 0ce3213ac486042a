package io.numabufferpool.operator.apiserver;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;

/** A policy of the chart's name that changes nothing: the operator looks for its presence only. */
final class Injection {
    private static final String POLICY = """
            apiVersion: admissionregistration.k8s.io/v1
            kind: MutatingAdmissionPolicy
            metadata: {name: numa-buffer-pool-injection}
            spec:
              failurePolicy: Ignore
              reinvocationPolicy: Never
              matchConstraints:
                resourceRules:
                  - {apiGroups: [example.invalid], apiVersions: [v1], resources: [nothing], operations: [CREATE]}
              mutations:
                - patchType: JSONPatch
                  jsonPatch: {expression: "[JSONPatch{op: 'test', path: '/kind', value: 'Nothing'}]"}
            ---
            apiVersion: admissionregistration.k8s.io/v1
            kind: MutatingAdmissionPolicyBinding
            metadata: {name: numa-buffer-pool-injection}
            spec: {policyName: numa-buffer-pool-injection}
            """;

    private Injection() {}

    static void install(KubernetesClient admin) {
        admin.load(new ByteArrayInputStream(POLICY.getBytes(StandardCharsets.UTF_8)))
                .serverSideApply();
    }
}
