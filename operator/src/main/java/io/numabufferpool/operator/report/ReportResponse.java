package io.numabufferpool.operator.report;

/** What goes back to a sidecar: the HTTP status and a JSON document. Immutable. */
record ReportResponse(int status, String json) {}
