/**
 * Injection by a webhook, where the API server has no MutatingAdmissionPolicy: the same pod, decided here. One set of cases
 * ({@code helm/src/test/resources/injection}) runs through both.
 */
@NullMarked
package io.numabufferpool.operator.injection;

import org.jspecify.annotations.NullMarked;
