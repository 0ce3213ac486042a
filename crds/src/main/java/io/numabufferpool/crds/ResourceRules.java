package io.numabufferpool.crds;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rules on {@code spec.sidecar.resources}: a CPU request and a CPU limit. Memory and huge pages follow from {@code
 * spec.size}, so they cannot be given.
 */
final class ResourceRules {
    private static final String CPU = "cpu";
    private static final Pattern QUANTITY = Pattern.compile("[0-9]{1,6}(\\.[0-9]{1,3})?|[0-9]{1,9}m");
    private static final BigDecimal MILLI = new BigDecimal("0.001");

    private ResourceRules() {}

    static SpecRule onlyCpu(String field) {
        return SpecRule.of(
                "!has(self.sidecar) || !has(self.sidecar.resources) || !has(self.sidecar.resources." + field
                        + ") || self.sidecar.resources." + field + ".all(r, r == 'cpu')",
                "spec.sidecar.resources." + field
                        + ": only cpu can be set, memory and huge pages follow from spec.size; remove the others.",
                spec -> resources(spec, field).keySet().stream().allMatch(CPU::equals));
    }

    static SpecRule cpuSound(String field) {
        var cpu = "string(self.sidecar.resources." + field + "['cpu'])";
        var fix = " is not a number of CPUs; use a number above 0 such as 500m or 2.";
        return new SpecRule(
                absent(field) + " || (isQuantity(" + cpu + ") && quantity(" + cpu + ").isGreaterThan(quantity('0')))",
                "'spec.sidecar.resources." + field + ".cpu: ' + " + SpecRule.shownCel(cpu) + " + '" + fix + "'",
                spec -> {
                    var written = resources(spec, field).get(CPU);
                    if (written == null
                            || cpus(written).filter(cpus -> cpus.signum() > 0).isPresent()) {
                        return null;
                    }
                    return "spec.sidecar.resources." + field + ".cpu: " + SpecRule.shown(written) + fix;
                });
    }

    static SpecRule requestWithinLimit() {
        var request = "string(self.sidecar.resources.requests['cpu'])";
        var limit = "string(self.sidecar.resources.limits['cpu'])";
        return new SpecRule(
                absent("requests") + " || " + absent("limits") + " || !isQuantity(" + request + ") || !isQuantity("
                        + limit + ") || !quantity(" + request + ").isGreaterThan(quantity(" + limit + "))",
                "'spec.sidecar.resources: the CPU request ' + " + request + " + ' is more than the limit ' + " + limit
                        + " + '; raise the limit or lower the request.'",
                spec -> {
                    var asked = resources(spec, "requests").get(CPU);
                    var most = resources(spec, "limits").get(CPU);
                    var askedCpus = asked == null ? Optional.<BigDecimal>empty() : cpus(asked);
                    var mostCpus = most == null ? Optional.<BigDecimal>empty() : cpus(most);
                    boolean within = askedCpus.isEmpty()
                            || mostCpus.isEmpty()
                            || askedCpus.get().compareTo(mostCpus.get()) <= 0;
                    return within
                            ? null
                            : "spec.sidecar.resources: the CPU request " + asked + " is more than the limit " + most
                                    + "; raise the limit or lower the request.";
                });
    }

    private static String absent(String field) {
        return "(!has(self.sidecar) || !has(self.sidecar.resources) || !has(self.sidecar.resources." + field
                + ") || !('cpu' in self.sidecar.resources." + field + "))";
    }

    private static Map<String, String> resources(NumaBufferPoolSpec spec, String field) {
        @Nullable
        SidecarResources resources =
                spec.sidecar() == null ? null : spec.sidecar().resources();
        if (resources == null) {
            return Map.of();
        }
        return field.equals("limits") ? resources.limits() : resources.requests();
    }

    private static Optional<BigDecimal> cpus(String written) {
        if (!QUANTITY.matcher(written).matches()) {
            return Optional.empty();
        }
        return Optional.of(
                written.endsWith("m")
                        ? new BigDecimal(written.substring(0, written.length() - 1)).multiply(MILLI)
                        : new BigDecimal(written));
    }
}
