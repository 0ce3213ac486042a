/** Tests of the C header: that it says what the layout says, and that compilers take it. What it does is tested in the server. */
@NullMarked
package io.numabufferpool.clientc;

import org.jspecify.annotations.NullMarked;
