package io.numabufferpool.crds;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One rule on a pool's spec, written twice side by side: in CEL for the API server, where {@code self} is the spec, and in Java
 * for everyone without one. Both give the same sentence; fixtures are run against both. Immutable.
 *
 * @param cel true: the spec keeps the rule; empty where only Java can check it
 * @param celMessage CEL that renders the sentence where it does not
 * @param java the sentence, or null where the spec keeps the rule
 */
record SpecRule(String cel, String celMessage, Function<NumaBufferPoolSpec, @Nullable String> java) {
    /** A rule whose sentence has no value in it. */
    static SpecRule of(String cel, String sentence, Function<NumaBufferPoolSpec, Boolean> kept) {
        return new SpecRule(cel, "'" + sentence + "'", spec -> kept.apply(spec) ? null : sentence);
    }

    /** A rule that the API server cannot afford to check; {@link #inCel} is false. */
    static SpecRule inJavaOnly(Function<NumaBufferPoolSpec, @Nullable String> java) {
        return new SpecRule("", "", java);
    }

    boolean inCel() {
        return !cel.isEmpty();
    }

    /** CEL that shows a text on one line: the API server drops a sentence with a line break in it. */
    static String shownCel(String textCel) {
        return textCel + ".replace('\\n', ' ')";
    }

    /** The same in Java. */
    static String shown(String text) {
        return text.replace('\n', ' ');
    }
}
