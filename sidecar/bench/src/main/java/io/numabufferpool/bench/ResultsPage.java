package io.numabufferpool.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** RESULTS.md, rendered from figures.jsonl beside it: the last run of each figure, those that miss their goal first. */
final class ResultsPage {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String AT_MOST = "<=";

    private static final String HEAD = """
            # Results

            Written by `./mvnw -q -Pbench -Dbench=NAME` from `figures.jsonl`: the last run of each figure, those that miss their goal
            first. Medians of interleaved slices by thread CPU time; first and third quartile in brackets.

            | figure | value | goal | against | seen | where |
            |---|---|---|---|---|---|
            """;

    private final Path figures;
    private final Path page;

    ResultsPage(Path folder) {
        figures = folder.resolve("figures.jsonl");
        page = folder.resolve("RESULTS.md");
    }

    /** Replaces what is known of this figure: its JSON, and machine, kernel and commit in words. */
    void add(String line, String where) throws IOException {
        var known = new TreeMap<String, JsonNode>();
        for (var earlier : Files.exists(figures) ? Files.readAllLines(figures) : List.<String>of()) {
            var node = JSON.readTree(earlier);
            known.put(node.path("figure").asText(), node);
        }
        if (!(JSON.readTree(line) instanceof ObjectNode node)) {
            throw new IOException("a benchmark printed \"" + line + "\" where one JSON object was expected");
        }
        node.put("where", where);
        known.put(node.path("figure").asText(), node);
        Files.write(figures, known.values().stream().map(JsonNode::toString).toList());
        Files.writeString(page, render(List.copyOf(known.values())));
    }

    static String render(List<JsonNode> figures) {
        return figures.stream()
                .sorted(Comparator.comparing((JsonNode figure) -> !missed(figure)))
                .map(ResultsPage::row)
                .collect(Collectors.joining("", HEAD, ""));
    }

    private static boolean missed(JsonNode figure) {
        return figure.path("value").asDouble()
                > Double.parseDouble(figure.path("goal").asText().substring(AT_MOST.length()));
    }

    private static String row(JsonNode figure) {
        return "| " + figure.path("figure").asText() + " | " + (missed(figure) ? "**missed** " : "")
                + figure.path("value").asText() + " " + figure.path("unit").asText() + " " + figure.path("spread")
                + " | " + figure.path("goal").asText() + " | "
                + figure.path("peer").asText() + " | "
                + figure.path("note").asText() + " | " + figure.path("where").asText() + " |\n";
    }
}
