
/* ---- slots and pin ledgers ---------------------------------------------------------------------------------------- */

struct numapool_session {
    numapool_client *client;
    uint32_t attachment, owner;        /* owner: index of the first slot + 1 */
    uint32_t *slots, slot_count;
    uint64_t *numbers;                 /* by position; 0: free */
    uint32_t *counts, *free_positions, *index;
    uint32_t capacity, index_size, free_count, next_position, published_high;
    uint64_t victims[NUMAPOOL_BATCH_MAX], candidates[NUMAPOOL_BATCH_MAX];
    uint8_t held[NUMAPOOL_BATCH_MAX];
    uint32_t victim_count, candidate_count, leased_slots, refills;
    int home_node;
    uint64_t busy_number, busy_word;
    uint32_t private_pages;
};

static void numapool_count(numapool_session *session, uint32_t group, int counter, uint64_t by) {
    numapool_slot *slot = numapool_slot_at(session->client, session->owner - 1);
    uint64_t *at = (uint64_t *)(void *)((uint8_t *)slot + sizeof *slot + (uint64_t)group * 64) + counter;
    __atomic_store_n(at, __atomic_load_n(at, __ATOMIC_RELAXED) + by, __ATOMIC_RELAXED);
}

static uint32_t numapool_group(const numapool_client *client, uint64_t number) {
    return __atomic_load_n(&client->partitions[(number >> NUMAPOOL_PARTITION_SHIFT) & 0xFFFF].group, __ATOMIC_RELAXED);
}

static int64_t numapool_try_lease(numapool_client *client, int node) {
    for (uint32_t i = 0; i < client->slot_count; i++) {
        numapool_slot *slot = numapool_slot_at(client, i);
        if (node >= 0 && (int)slot->numaNode - 1 != node) {
            continue;
        }
        uint64_t word = __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE);
        uint64_t leased = (((word >> 32) + 1) << 32) | client->number;
        if ((uint32_t)word == 0
            && __atomic_compare_exchange_n(&slot->owner, &word, leased, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            __atomic_store_n(&slot->ledgerHigh, 0, __ATOMIC_RELAXED);
            __atomic_fetch_or(client->occupancy + i / 64, UINT64_C(1) << (i % 64), __ATOMIC_SEQ_CST);
            return i;
        }
    }
    return -1;
}

/* Index of a slot, or -1. */
static int64_t numapool_lease(numapool_client *client, numapool_error *error) {
    uint64_t deadline = numapool_nanos(CLOCK_MONOTONIC) + NUMAPOOL_SLOT_WAIT_NANOS;
    int node = numapool_current_node();
    for (;;) {
        int64_t slot = node < 0 ? -1 : numapool_try_lease(client, node);
        slot = slot >= 0 ? slot : numapool_try_lease(client, -1);
        if (slot >= 0) {
            return slot;
        }
        if (numapool_nanos(CLOCK_MONOTONIC) >= deadline) {
            numapool_fail(error, NUMAPOOL_NO_FREE_SLOT,
                          "all %u slots are leased, for %llu ms now. Close sessions, or raise spec.slots.max",
                          client->slot_count, (unsigned long long)(NUMAPOOL_SLOT_WAIT_NANOS / 1000000));
            return -1;
        }
        numapool_park(1000000);
    }
}

static void numapool_release(numapool_client *client, uint32_t index) {
    numapool_slot *slot = numapool_slot_at(client, index);
    uint64_t word = __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE);
    __atomic_store_n(&slot->waitOn, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->epoch, 0, __ATOMIC_RELAXED);
    __atomic_fetch_and(client->occupancy + index / 64, ~(UINT64_C(1) << (index % 64)), __ATOMIC_SEQ_CST);
    __atomic_store_n(&slot->owner, word >> 32 << 32, __ATOMIC_RELEASE);
}

static uint32_t numapool_index_home(const numapool_session *session, uint64_t number) {
    return (uint32_t)((number * UINT64_C(0x9E3779B97F4A7C15)) >> 40) & (session->index_size - 1);
}

static uint32_t numapool_index_gap(const numapool_session *session, uint64_t number) {
    uint32_t at = numapool_index_home(session, number);
    while (session->index[at] != 0) {
        at = (at + 1) & (session->index_size - 1);
    }
    return at;
}

/* Position + 1 of a page that this session has pinned; 0: none. */
static uint32_t numapool_find_pin(const numapool_session *session, uint64_t number) {
    uint32_t at = numapool_index_home(session, number);
    for (; session->index[at] != 0; at = (at + 1) & (session->index_size - 1)) {
        if (session->numbers[session->index[at] - 1] == number) {
            return session->index[at];
        }
    }
    return 0;
}

static int numapool_grow_array(uint32_t **array, uint32_t count) {
    uint32_t *grown = realloc(*array, count * sizeof **array);
    *array = grown != NULL ? grown : *array;
    return grown != NULL;
}

/* One more slot, so one more ledger. */
static int numapool_grow(numapool_session *session, numapool_error *error) {
    uint32_t capacity = session->capacity + NUMAPOOL_LEDGER_ENTRY_COUNT, size = 2 * NUMAPOOL_LEDGER_ENTRY_COUNT;
    while (size < 2 * capacity) {
        size *= 2;
    }
    uint64_t *numbers = realloc(session->numbers, capacity * sizeof *numbers);
    session->numbers = numbers != NULL ? numbers : session->numbers;
    uint32_t *index = calloc(size, sizeof *index);
    if (numbers == NULL || index == NULL || !numapool_grow_array(&session->counts, capacity)
        || !numapool_grow_array(&session->free_positions, capacity)
        || !numapool_grow_array(&session->slots, session->slot_count + 1)) {
        free(index);
        return numapool_fail(error, NUMAPOOL_NO_MEMORY, "no memory for a ledger of %u pages", capacity);
    }
    int64_t slot = numapool_lease(session->client, error);
    if (slot < 0) {
        free(index);
        return NUMAPOOL_NO_FREE_SLOT;
    }
    session->slots[session->slot_count++] = (uint32_t)slot;
    free(session->index);
    session->index = index;
    session->index_size = size;
    session->capacity = capacity;
    for (uint32_t position = 0; position < session->next_position; position++) {
        if (numbers[position] != 0) {
            index[numapool_index_gap(session, numbers[position])] = position + 1;
        }
    }
    return 0;
}

static int numapool_reserve(numapool_session *session, numapool_error *error) {
    return session->free_count == 0 && session->next_position == session->capacity ? numapool_grow(session, error) : 0;
}

static uint64_t *numapool_ledger_entry(const numapool_session *session, uint32_t position) {
    uint32_t slot = session->slots[position / NUMAPOOL_LEDGER_ENTRY_COUNT];
    return numapool_slot_at(session->client, slot)->ledger + position % NUMAPOOL_LEDGER_ENTRY_COUNT;
}

/* Stores a pin; the caller puts a full fence between this and his look at the state word. */
static uint32_t numapool_publish(numapool_session *session, uint64_t number) {
    uint32_t position = session->free_count > 0 ? session->free_positions[--session->free_count]
                                                : session->next_position++;
    session->numbers[position] = number;
    session->counts[position] = 1;
    session->index[numapool_index_gap(session, number)] = position + 1;
    if (position >= session->published_high) {
        uint32_t slot = session->slots[position / NUMAPOOL_LEDGER_ENTRY_COUNT];
        session->published_high = position + 1;
        __atomic_store_n(&numapool_slot_at(session->client, slot)->ledgerHigh,
                         position % NUMAPOOL_LEDGER_ENTRY_COUNT + 1, __ATOMIC_RELAXED);
    }
    __atomic_store_n(numapool_ledger_entry(session, position), NUMAPOOL_LEDGER_PINNED | number, __ATOMIC_RELAXED);
    return position;
}

static void numapool_clear_pin(numapool_session *session, uint32_t position) {
    uint32_t mask = session->index_size - 1, gap = numapool_index_home(session, session->numbers[position]);
    __atomic_store_n(numapool_ledger_entry(session, position), 0, __ATOMIC_RELEASE);
    while (session->index[gap] != position + 1) {
        gap = (gap + 1) & mask;
    }
    for (uint32_t at = (gap + 1) & mask; session->index[at] != 0; at = (at + 1) & mask) {
        uint32_t home = numapool_index_home(session, session->numbers[session->index[at] - 1]);
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            session->index[gap] = session->index[at];
            gap = at;
        }
    }
    session->index[gap] = 0;
    session->numbers[position] = 0;
    session->free_positions[session->free_count++] = position;
}

static void numapool_unpin_at(numapool_session *session, uint32_t position) {
    if (--session->counts[position] == 0) {
        numapool_clear_pin(session, position);
    }
}

/* First slot of a session that has none: a new one, or a copy of the parent's in a child. */
static int numapool_begin_session(numapool_session *session, numapool_error *error) {
    session->slot_count = session->capacity = session->free_count = session->next_position = 0;
    session->published_high = session->victim_count = session->candidate_count = session->refills = 0;
    session->owner = 0;
    int failed = numapool_grow(session, error);
    if (!failed) {
        session->owner = session->slots[0] + 1;
        session->attachment = session->client->attachment;
        session->leased_slots = 1;
        session->home_node = numapool_current_node();
    }
    return failed;
}

/* Before every use: in a child the client's own number first, then a slot of its own. */
static int numapool_enter(numapool_session *session, numapool_error *error) {
    int failed = numapool_own(session->client, error);
    return failed || session->attachment == session->client->attachment ? failed
                                                                        : numapool_begin_session(session, error);
}

static void numapool_free_session(numapool_session *session) {
    free(session->slots);
    free(session->numbers);
    free(session->counts);
    free(session->free_positions);
    free(session->index);
    free(session);
}

numapool_session *numapool_open_session(numapool_client *client, numapool_error *error) {
    numapool_session *session = calloc(1, sizeof *session);
    if (session == NULL) {
        numapool_fail(error, NUMAPOOL_NO_MEMORY, "no memory for a session");
        return NULL;
    }
    session->client = client;
    if (numapool_own(client, error) || numapool_begin_session(session, error)) {
        numapool_free_session(session);
        return NULL;
    }
    return session;
}
