package io.numabufferpool.server.lifecycle;

import io.numabufferpool.crds.Reason;

/**
 * Why the segment does not serve as it should.
 *
 * @param reason the condition's reason
 * @param message one or two sentences with the numbers and the fix
 */
public record Problem(Reason reason, String message) {}
