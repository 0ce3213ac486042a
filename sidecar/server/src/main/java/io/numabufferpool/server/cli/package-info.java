/**
 * The command line: reading the words, choosing the exit status, drawing tables and bars at a terminal. What the commands do is outside.
 */
@NullMarked
package io.numabufferpool.server.cli;

import org.jspecify.annotations.NullMarked;
