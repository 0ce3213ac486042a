package io.numabufferpool.placement;

import java.util.BitSet;
import java.util.stream.IntStream;

/** An immutable set of CPU numbers, written as the kernel writes lists: {@code 0-1,3}; the empty set is the empty text. */
public final class CpuSet {
    private static final CpuSet EMPTY = new CpuSet(new BitSet());

    private final BitSet bits;

    private CpuSet(BitSet bits) {
        this.bits = bits;
    }

    public static CpuSet empty() {
        return EMPTY;
    }

    public static CpuSet of(int... numbers) {
        var bits = new BitSet();
        for (int number : numbers) {
            bits.set(number);
        }
        return new CpuSet(bits);
    }

    /** Parses {@code 0-1,3}. The exception's message says what is wrong with which part, and shows a right list. */
    public static CpuSet parse(String text) {
        return new CpuSet(KernelList.parse(text));
    }

    public boolean contains(int number) {
        return bits.get(number);
    }

    public boolean containsAll(CpuSet other) {
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

    public CpuSet and(CpuSet other) {
        var result = copy();
        result.and(other.bits);
        return new CpuSet(result);
    }

    public CpuSet or(CpuSet other) {
        var result = copy();
        result.or(other.bits);
        return new CpuSet(result);
    }

    public CpuSet minus(CpuSet other) {
        var result = copy();
        result.andNot(other.bits);
        return new CpuSet(result);
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
        return other instanceof CpuSet that && bits.equals(that.bits);
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
