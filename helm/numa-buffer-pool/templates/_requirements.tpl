{{/*
Who adds the sidecar: Policy where the API server has MutatingAdmissionPolicy v1 (Kubernetes 1.36), else Webhook. Both give the
same pod. A policy that the API server does not have would give none.
*/}}
{{- define "numapool.injection" -}}
{{- $kind := "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy" -}}
{{- $has := or (.Capabilities.APIVersions.Has $kind) (semverCompare ">=1.36.0-0" .Capabilities.KubeVersion.Version) -}}
{{- $asked := .Values.injection.mechanism -}}
{{- if and (eq $asked "Policy") (not $has) -}}
{{- fail (printf "injection.mechanism is Policy, but this API server (%s) has no MutatingAdmissionPolicy of admissionregistration.k8s.io/v1, which Kubernetes serves from 1.36 on. Use Auto or Webhook; for helm template, add --kube-version 1.36.0" .Capabilities.KubeVersion.Version) -}}
{{- end -}}
{{- if eq $asked "Auto" -}}
{{- $has | ternary "Policy" "Webhook" -}}
{{- else -}}
{{- $asked -}}
{{- end -}}
{{- end }}
