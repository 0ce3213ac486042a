package io.numabufferpool.operator.report;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/** The body of every answer that is not 200: {@code {"message": "one sentence"}}. */
final class ErrorBody {
    private ErrorBody() {}

    static String render(String message) {
        return JsonNodeFactory.instance.objectNode().put("message", message).toString();
    }
}
