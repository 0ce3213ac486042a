package io.numabufferpool.client.attach;

/** A message of the attach protocol that cannot be understood; the exception's message is one sentence for the other side. */
public final class MalformedMessage extends Exception {
    private static final long serialVersionUID = 1L;

    private final String sentence;

    public MalformedMessage(String sentence) {
        super(sentence);
        this.sentence = sentence;
    }

    public MalformedMessage(String sentence, Throwable cause) {
        super(sentence, cause);
        this.sentence = sentence;
    }

    /** What is wrong. */
    public String sentence() {
        return sentence;
    }
}
