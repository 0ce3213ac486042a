/** Tests of libnumapool_adopt.so: its C sources, and what it does to programs. What starts such programs lies in the server. */
@NullMarked
package io.numabufferpool.adopt;

import org.jspecify.annotations.NullMarked;
