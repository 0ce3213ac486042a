/**
 * Fixtures that other modules' tests use too (FakeLinux, LinuxContract, the runner of the numa lane), and this module's own tests.
 */
@NullMarked
package io.numabufferpool.linux;

import org.jspecify.annotations.NullMarked;
