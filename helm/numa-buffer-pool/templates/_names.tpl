{{/* Names that other parts of the product know; they are no values, so that a sidecar always finds its operator. */}}
{{- define "numapool.operator" -}}numa-buffer-pool-operator{{- end }}
{{- define "numapool.label" -}}numabufferpool.io/pool{{- end }}
{{- define "numapool.container" -}}numa-buffer-pool{{- end }}
{{- define "numapool.attachDir" -}}/run/numa-buffer-pool{{- end }}
{{- define "numapool.caConfigMap" -}}numa-buffer-pool-ca{{- end }}
{{- define "numapool.tlsSecret" -}}numa-buffer-pool-operator-tls{{- end }}

{{- define "numapool.image" -}}
{{ .image.repository }}:{{ .image.tag | default .chart.AppVersion }}
{{- end }}
{{- define "numapool.sidecarImage" -}}
{{ include "numapool.image" (dict "image" .Values.sidecar.image "chart" .Chart) }}
{{- end }}
{{- define "numapool.operatorImage" -}}
{{ include "numapool.image" (dict "image" .Values.operator.image "chart" .Chart) }}
{{- end }}

{{- define "numapool.selectorLabels" -}}
app.kubernetes.io/name: {{ include "numapool.operator" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "numapool.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
app.kubernetes.io/part-of: numa-buffer-pool
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "numapool.selectorLabels" . }}
{{- end }}
