package io.numabufferpool.crds;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Renders the reference of conditions and reasons. */
final class ConditionsReference {
    private ConditionsReference() {}

    static String render() {
        var text = new StringBuilder();
        text.append("# Conditions and reasons\n\n");
        text.append("Rendered from `ConditionType` and `Reason`; refresh with `")
                .append(RenderedFile.REFRESH)
                .append("`.\n\n");
        text.append("## Conditions\n\n| type | of | True means |\n|---|---|---|\n");
        for (var type : ConditionType.values()) {
            text.append("| `%s` | %s | %s |\n".formatted(type, kinds(type), type.meaning()));
        }
        for (var type : ConditionType.values()) {
            text.append("\n## Reasons of `%s`\n\n| reason | what is the case | what to do |\n|---|---|---|\n"
                    .formatted(type));
            for (var reason : Reason.values()) {
                if (reason.conditionTypes().contains(type)) {
                    text.append(row(reason));
                }
            }
        }
        text.append("\n## Events\n\n| reason | what is the case | what to do |\n|---|---|---|\n");
        text.append(Arrays.stream(Reason.values())
                .filter(Reason::isEvent)
                .map(ConditionsReference::row)
                .collect(Collectors.joining()));
        return text.toString();
    }

    private static String kinds(ConditionType type) {
        var pool = type.ofPool() ? "NumaBufferPool" : "";
        var placement = type.ofPlacement() ? "NumaPlacement" : "";
        return pool + (type.ofPool() && type.ofPlacement() ? ", " : "") + placement;
    }

    private static String row(Reason reason) {
        return "| `%s` | %s | %s |\n"
                .formatted(reason, reason.meaning(), reason.fix().isEmpty() ? "nothing" : reason.fix());
    }
}
