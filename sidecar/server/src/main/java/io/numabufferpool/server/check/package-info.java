/**
 * Proves a running pool: reads a file through it and compares every block with the file itself. How a result is shown is outside, in
 * the command.
 */
@NullMarked
package io.numabufferpool.server.check;

import org.jspecify.annotations.NullMarked;
