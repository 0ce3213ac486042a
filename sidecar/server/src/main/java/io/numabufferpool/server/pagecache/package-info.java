/**
 * Where the page cache of files lies: found, counted by NUMA node, and spread. How that is shown is outside, in the command.
 */
@NullMarked
package io.numabufferpool.server.pagecache;

import org.jspecify.annotations.NullMarked;
