package io.numabufferpool.crds;

import java.util.ArrayList;
import java.util.List;

/** The API server's validation in Java, sentence for sentence, for a spec that no API server has seen. */
public final class NumaBufferPoolSpecChecks {
    /** A pod's label carries the pool's name, and label values are no longer. */
    public static final int NAME_LENGTH_MAX = 63;

    private NumaBufferPoolSpecChecks() {}

    /** What is wrong with the spec, one sentence each; empty where nothing is. */
    public static List<String> check(NumaBufferPoolSpec spec) {
        var problems = new ArrayList<String>();
        for (var rule : SpecRules.ALL) {
            var sentence = rule.java().apply(spec);
            if (sentence != null) {
                problems.add(sentence);
            }
        }
        return List.copyOf(problems);
    }

    /** The same with the object's name. */
    public static List<String> check(String name, NumaBufferPoolSpec spec) {
        var problems = new ArrayList<String>();
        if (name.length() > NAME_LENGTH_MAX) {
            problems.add("metadata.name: " + name + " has " + name.length()
                    + " characters; pods name the pool in a label, so use at most " + NAME_LENGTH_MAX + ".");
        }
        problems.addAll(check(spec));
        return List.copyOf(problems);
    }

    static String nameCel() {
        return "size(self.metadata.name) <= " + NAME_LENGTH_MAX;
    }

    static String nameCelMessage() {
        return "'metadata.name: ' + string(dyn(self.metadata.name)) + ' has ' + string(dyn(size(self.metadata.name))) + ' characters; pods name"
                + " the pool in a label, so use at most " + NAME_LENGTH_MAX + ".'";
    }
}
