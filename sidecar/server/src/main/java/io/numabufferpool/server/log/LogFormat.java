package io.numabufferpool.server.log;

/** How a log line is written. */
public enum LogFormat {
    /** One JSON object a line, for collectors. */
    JSON,
    /** Time, level, text and key=value, for people. */
    TEXT
}
