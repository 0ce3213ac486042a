package io.numabufferpool.server.cli;

import java.util.ArrayList;
import java.util.List;

/** A table of text: the first column flush left, the others flush right, two spaces between. Not thread-safe. */
public final class TextTable {
    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();
    private final List<Boolean> leftAligned;

    /** Columns are flush right, but for the first. */
    public TextTable(String... header) {
        this.leftAligned = new ArrayList<>();
        for (int column = 0; column < header.length; column++) {
            leftAligned.add(column == 0);
        }
        rows.add(List.of(header));
    }

    /** Makes one more column flush left: words instead of numbers. */
    public TextTable left(int column) {
        leftAligned.set(column, true);
        return this;
    }

    public TextTable row(Object... cells) {
        if (cells.length != leftAligned.size()) {
            throw new IllegalArgumentException(
                    cells.length + " cells in a table of " + leftAligned.size() + " columns");
        }
        var row = new ArrayList<String>();
        for (var cell : cells) {
            row.add(String.valueOf(cell));
        }
        rows.add(row);
        return this;
    }

    /** The lines, without trailing spaces. */
    public List<String> lines() {
        var widths = new int[leftAligned.size()];
        for (var row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private String line(List<String> row, int[] widths) {
        var line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            var cell = row.get(column);
            var padding = " ".repeat(widths[column] - cell.length());
            line.append(column == 0 ? "" : GAP).append(leftAligned.get(column) ? cell + padding : padding + cell);
        }
        return line.toString().stripTrailing();
    }
}
