{{/* What the API server must be able to do; without it no pod would ever get its sidecar. */}}
{{- define "numapool.checkApiServer" -}}
{{- $needed := "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy" -}}
{{- if not (or (.Capabilities.APIVersions.Has $needed) (semverCompare ">=1.36.0-0" .Capabilities.KubeVersion.Version)) -}}
{{- fail (printf "numa-buffer-pool %s injects its sidecar by a MutatingAdmissionPolicy of admissionregistration.k8s.io/v1, which Kubernetes serves from 1.36 on; this API server (%s) does not. Use a cluster of 1.36 or later; for helm template, add --kube-version 1.36.0" .Chart.Version .Capabilities.KubeVersion.Version) -}}
{{- end -}}
{{- end }}
