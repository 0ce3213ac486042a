package io.numabufferpool.server.adopt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The words of databases for NUMA nodes. */
class NodeWordsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "all All false",
                "auto Allowed false",
                "=0,1 0-1 false",
                "0-3 0-3 false",
                "@1 1 true",
                "@0-1 0-1 true"
            })
    void everyWordMeansNodesAndWhetherCpusAreBound(String word, String nodes, boolean bindCpus) {
        var words = NodeWords.parse(word);

        assertThat(words.selection().text()).isEqualTo(nodes);
        assertThat(words.bindCpus()).isEqualTo(bindCpus);
        assertThat(words.off()).isFalse();
    }

    @Test
    void offPlacesNothing() {
        assertThat(NodeWords.parse("off").off()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "=", "@", "ALL", "0-", "=all", "@@1", "1 2", "-1"})
    void anythingElseIsRefusedWithTheRightWords(String word) {
        assertThatThrownBy(() -> NodeWords.parse(word))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("use off, all, auto, a list such as 0-1 or =0,1, or @1");
    }
}
