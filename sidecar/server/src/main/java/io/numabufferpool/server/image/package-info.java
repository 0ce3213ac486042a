/** What happens once, when the container image is built. */
@NullMarked
package io.numabufferpool.server.image;

import org.jspecify.annotations.NullMarked;
