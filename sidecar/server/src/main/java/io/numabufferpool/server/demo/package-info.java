/**
 * The main job in small, on this machine: serve a pool, read a real file through it from another process, show where it lies. How each
 * of these works is outside.
 */
@NullMarked
package io.numabufferpool.server.demo;

import org.jspecify.annotations.NullMarked;
