/**
 * Unmodified programs: what libnumapool_adopt.so is told, and what it reports. The library itself is in sidecar/adopt; starting a
 * program is the command's.
 */
@NullMarked
package io.numabufferpool.server.adopt;

import org.jspecify.annotations.NullMarked;
