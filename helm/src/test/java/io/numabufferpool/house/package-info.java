/**
 * Rules of the whole tree, made executable: who may import whom, and how a file reads. What the parts do is tested
 * beside them.
 */
package io.numabufferpool.house;
