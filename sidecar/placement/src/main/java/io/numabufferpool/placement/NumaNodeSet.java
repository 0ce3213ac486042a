package io.numabufferpool.placement;

import java.util.BitSet;
import java.util.stream.IntStream;

/** An immutable set of NUMA node numbers, written as the kernel writes lists: {@code 0-1,3}; the empty set is the empty text. */
public final class NumaNodeSet {
    private static final NumaNodeSet EMPTY = new NumaNodeSet(new BitSet());

    private final BitSet bits;

    private NumaNodeSet(BitSet bits) {
        this.bits = bits;
    }

    public static NumaNodeSet empty() {
        return EMPTY;
    }

    public static NumaNodeSet of(int... numbers) {
        var bits = new BitSet();
        for (int number : numbers) {
            bits.set(number);
        }
        return new NumaNodeSet(bits);
    }

    /** Parses {@code 0-1,3}. The exception's message says what is wrong with which part, and shows a right list. */
    public static NumaNodeSet parse(String text) {
        return new NumaNodeSet(KernelList.parse(text));
    }

    public boolean contains(int number) {
        return bits.get(number);
    }

    public boolean containsAll(NumaNodeSet other) {
        return other.minus(this).isEmpty();
    }

    public boolean isEmpty() {
        return bits.isEmpty();
    }

    public int size() {
        return bits.cardinality();
    }

    /** Ascending. */
    public IntStream stream() {
        return bits.stream();
    }

    public NumaNodeSet and(NumaNodeSet other) {
        var result = copy();
        result.and(other.bits);
        return new NumaNodeSet(result);
    }

    public NumaNodeSet or(NumaNodeSet other) {
        var result = copy();
        result.or(other.bits);
        return new NumaNodeSet(result);
    }

    public NumaNodeSet minus(NumaNodeSet other) {
        var result = copy();
        result.andNot(other.bits);
        return new NumaNodeSet(result);
    }

    /** Bit n of word n / 64 set for each number, as system calls take masks; at least one word. */
    public long[] toMask() {
        var mask = bits.toLongArray();
        return mask.length == 0 ? new long[1] : mask;
    }

    private BitSet copy() {
        return (BitSet) bits.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NumaNodeSet that && bits.equals(that.bits);
    }

    @Override
    public int hashCode() {
        return bits.hashCode();
    }

    @Override
    public String toString() {
        return KernelList.render(bits);
    }
}
