/**
 * The operator's own certificates: making, renewing, keeping them in one Secret, and handing the authority's certificate
 * to the namespaces that have pools. Who presents and who trusts them is outside, in the report server and the sidecars.
 */
@NullMarked
package io.numabufferpool.operator.certificate;

import org.jspecify.annotations.NullMarked;
