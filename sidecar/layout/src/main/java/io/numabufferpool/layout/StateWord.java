package io.numabufferpool.layout;

/**
 * The atomic long of a buffer descriptor. One compare-and-set moves everything.
 *
 * <pre>
 *  63        48 47                               12 11   9  8  7  6  5  4 3     0
 *  owner slot+1 version                             usage   -  W  T  w  D phase
 * </pre>
 *
 * The low 32 bits (phase, flags, usageCount, the low 20 bits of the version) are the futex word: every change that a
 * sleeper waits for changes them. All functions are pure.
 */
public final class StateWord {
    /** No page. Meaning of zero: a formatted, never used buffer. */
    public static final int FREE = 0;
    /** Taken by the owner slot for a page to come; may be stolen by compare-and-set. */
    public static final int CLAIMED = 1;
    /** The owner slot is reading a block into it. Only its owner (or the reaper of it) moves it on. */
    public static final int LOADING = 2;
    /** Holds the page of its tag. Every change is a compare-and-set of the whole word. */
    public static final int VALID = 3;
    /** The owner slot looks whether anybody has it pinned. A pinner may set it back to VALID. */
    public static final int EVICTING = 4;
    /** Nobody had it pinned: the owner slot removes it from the lookup table. */
    public static final int UNMAPPING = 5;
    /** Its buffer is out of service, maybe without memory behind it. Only who retired it moves it on, to FREE. */
    public static final int RETIRED = 6;

    public static final long PHASE_MASK = 0xFL;
    /** The content is newer than the file's. */
    public static final long DIRTY = 1L << 4;
    /** The owner slot is changing the content. */
    public static final long WRITING = 1L << 5;
    /** A writer died inside the content: never served as good. */
    public static final long TORN = 1L << 6;
    /** Somebody may sleep on this word: who moves it on has to wake. */
    public static final long WAITERS = 1L << 7;
    /** Zero in version 1.0. */
    public static final long RESERVED_MASK = 1L << 8;

    public static final int USAGE_SHIFT = 9;
    public static final long USAGE_MASK = 0x7L << USAGE_SHIFT;
    /** One more use. */
    public static final long USAGE_ONE = 1L << USAGE_SHIFT;
    /** Higher is closer to LRU, but a victim may take USAGE_COUNT_MAX + 1 turns of the clock hand to find. */
    public static final int USAGE_COUNT_MAX = 5;

    public static final int VERSION_SHIFT = 12;
    /** 36 bits: a reader would have to sleep through 2^36 changes of one buffer to take a new version for an old one. */
    public static final long VERSION_MASK = 0xF_FFFF_FFFFL << VERSION_SHIFT;

    public static final int OWNER_SHIFT = 48;
    /** Slot index + 1; 0: nobody. */
    public static final long OWNER_MASK = 0xFFFFL << OWNER_SHIFT;
    /** The highest owner number, so also the highest number of slots. */
    public static final int OWNER_MAX = 0xFFFF;

    static {
        long[] fields = {PHASE_MASK, DIRTY, WRITING, TORN, WAITERS, RESERVED_MASK, USAGE_MASK, VERSION_MASK, OWNER_MASK
        };
        long covered = 0;
        for (long field : fields) {
            StructDeclaration.require((covered & field) == 0, "fields of StateWord overlap");
            covered |= field;
        }
        StructDeclaration.require(covered == -1L, "fields of StateWord leave bits without a name");
        StructDeclaration.require(USAGE_COUNT_MAX <= USAGE_MASK >>> USAGE_SHIFT, "usageCount does not fit");
        StructDeclaration.require(RETIRED <= PHASE_MASK, "phase does not fit");
    }

    private StateWord() {}

    public static int phase(long word) {
        return (int) (word & PHASE_MASK);
    }

    public static int usageCount(long word) {
        return (int) ((word & USAGE_MASK) >>> USAGE_SHIFT);
    }

    public static long version(long word) {
        return (word & VERSION_MASK) >>> VERSION_SHIFT;
    }

    /** Slot index + 1, or 0. */
    public static int owner(long word) {
        return (int) (word >>> OWNER_SHIFT);
    }

    public static boolean has(long word, long flag) {
        return (word & flag) != 0;
    }

    /** True for a word of that phase and owner, whatever its flags. */
    public static boolean is(long word, int phase, int owner) {
        return phase(word) == phase && owner(word) == owner;
    }

    /** The same version in another phase with another owner (0: nobody); no flags, usageCount 0. */
    public static long of(int phase, int owner, long version) {
        return phase | ((version << VERSION_SHIFT) & VERSION_MASK) | ((long) owner << OWNER_SHIFT);
    }

    /** The next version of the word; wraps inside its field. */
    public static long bump(long word) {
        return (word & ~VERSION_MASK) | ((word + (1L << VERSION_SHIFT)) & VERSION_MASK);
    }

    public static long withUsageCount(long word, int usageCount) {
        return (word & ~USAGE_MASK) | ((long) usageCount << USAGE_SHIFT);
    }

    /** VALID, the next version, EVICTING by that owner: flags and usageCount stay. */
    public static long evicting(long validWord, int owner) {
        return (bump(validWord) & ~(PHASE_MASK | OWNER_MASK)) | EVICTING | ((long) owner << OWNER_SHIFT);
    }

    /** EVICTING back to VALID, same version, no owner, used once so that the hand passes by the next time. */
    public static long givenBack(long evictingWord) {
        long valid = (evictingWord & ~(PHASE_MASK | OWNER_MASK | WAITERS)) | VALID;
        return usageCount(valid) == 0 ? valid + USAGE_ONE : valid;
    }

    /** VALID, its content being changed by that owner. */
    public static long writing(long validWord, int owner) {
        return validWord | WRITING | ((long) owner << OWNER_SHIFT);
    }

    /** The content was changed by the owner or left as it was: the next version, nobody's, with no flag of {@code cleared}. */
    public static long written(long writingWord, long cleared) {
        return bump(writingWord) & ~(WRITING | OWNER_MASK | WAITERS | cleared);
    }

    /** The part that a futex compares. */
    public static int futexWord(long word) {
        return (int) word;
    }

    /** For messages: phase name, flags, usageCount, version, owner slot. */
    public static String describe(long word) {
        String[] names = {"FREE", "CLAIMED", "LOADING", "VALID", "EVICTING", "UNMAPPING", "RETIRED"};
        var phase = phase(word) < names.length ? names[phase(word)] : "phase " + phase(word);
        return phase
                + (has(word, DIRTY) ? " DIRTY" : "")
                + (has(word, WRITING) ? " WRITING" : "")
                + (has(word, TORN) ? " TORN" : "")
                + " usageCount " + usageCount(word) + " version " + version(word)
                + (owner(word) == 0 ? "" : " owner slot " + (owner(word) - 1));
    }
}
