package io.numabufferpool.crds;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One aspect of an object's state, shaped like metav1.Condition. Type and reason are text here and enums where conditions are
 * made, so that an older program reads what a newer one wrote. Immutable.
 *
 * @param type a {@link ConditionType}
 * @param status a {@link ConditionStatus}
 * @param observedGeneration generation of the spec that this is about
 * @param lastTransitionTime when status last changed, RFC 3339, whole seconds
 * @param reason a {@link Reason}
 * @param message one sentence with the number and the fix
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Condition(
        @JsonPropertyDescription("Which aspect.") String type,
        @JsonPropertyDescription("True, False or Unknown.") String status,

        @JsonPropertyDescription("Generation of the spec that this is about.") @Nullable
        Long observedGeneration,

        @JsonPropertyDescription("When status last changed.")
        String lastTransitionTime,

        @JsonPropertyDescription("Why, in one CamelCase word.")
        String reason,

        @JsonPropertyDescription("Why, in a sentence with the number and the fix.")
        String message) {

    /** A condition whose status changes now; {@link #since} corrects the time where it does not. */
    public static Condition of(
            ConditionType type,
            ConditionStatus status,
            Reason reason,
            String message,
            @Nullable Long observedGeneration,
            Instant now) {
        return new Condition(
                type.name(),
                status.name(),
                observedGeneration,
                now.truncatedTo(ChronoUnit.SECONDS).toString(),
                reason.name(),
                message);
    }

    /** The condition of that type, if there is one. */
    public static Optional<Condition> find(List<Condition> conditions, ConditionType type) {
        return conditions.stream().filter(c -> c.type().equals(type.name())).findFirst();
    }

    /** This one with the transition time of the previous one where the status is the same. */
    public Condition since(List<Condition> previous) {
        return previous.stream()
                .filter(p -> p.type().equals(type) && p.status().equals(status))
                .findFirst()
                .map(p -> new Condition(type, status, observedGeneration, p.lastTransitionTime(), reason, message))
                .orElse(this);
    }

    @JsonIgnore
    public boolean isTrue() {
        return status.equals(ConditionStatus.True.name());
    }
}
