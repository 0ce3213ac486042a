/** The operator on a real API server. */
package io.numabufferpool.operator.apiserver;
