{{/*
The sidecar's memory, request = limit. The one table of what a segment costs besides its buffers:

    buffers     spec.size, under Transparent and Never; under Reserved they are huge pages, which are requested as such
  + 1/32        of spec.size: descriptors (64 bytes for a buffer of 4 KiB: 1/64), lookup table (another 1/128), rounding
  + 4 KiB       for each of spec.slots.max: owner word, epoch, pin ledger, counters per NUMA node
  + 128 MiB     the sidecar's own JVM

rounded up to a whole MiB.
*/}}
{{- define "numapool.memory.sizeDivisor" -}}32{{- end }}
{{- define "numapool.memory.bytesOfASlot" -}}4096{{- end }}
{{- define "numapool.memory.bytesOfTheProgram" -}}134217728{{- end }}
