
/* ---- state words, lookup table, clock sweep ----------------------------------------------------------------------- */

static uint64_t numapool_state(const numapool_buffer_descriptor *at) {
    return __atomic_load_n(&at->state, __ATOMIC_SEQ_CST);
}

static int numapool_cas(numapool_buffer_descriptor *at, uint64_t expected, uint64_t next) {
    return __atomic_compare_exchange_n(&at->state, &expected, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static uint32_t numapool_phase(uint64_t word) {
    return (uint32_t)(word & NUMAPOOL_PHASE_MASK);
}

static uint64_t numapool_word(uint64_t phase, uint64_t owner, uint64_t version_bits) {
    return phase | (version_bits & NUMAPOOL_VERSION_MASK) | (owner << NUMAPOOL_OWNER_SHIFT);
}

static uint64_t numapool_bump(uint64_t word) {
    return (word & ~NUMAPOOL_VERSION_MASK)
           | ((word + (UINT64_C(1) << NUMAPOOL_VERSION_SHIFT)) & NUMAPOOL_VERSION_MASK);
}

static uint64_t numapool_given_back(uint64_t word) {
    uint64_t valid = (word & ~(NUMAPOOL_PHASE_MASK | NUMAPOOL_OWNER_MASK | NUMAPOOL_WAITERS)) | NUMAPOOL_VALID;
    return (valid & NUMAPOOL_USAGE_MASK) == 0 ? valid + NUMAPOOL_USAGE_ONE : valid;
}

static int numapool_below_usage_max(uint64_t word) {
    return (word & NUMAPOOL_USAGE_MASK) < NUMAPOOL_USAGE_COUNT_MAX * NUMAPOOL_USAGE_ONE;
}

static int numapool_is(uint64_t word, uint32_t phase, uint32_t owner) {
    return numapool_phase(word) == phase && (uint32_t)(word >> NUMAPOOL_OWNER_SHIFT) == owner;
}

/* Moves a word that is this owner's in that phase, and wakes its sleepers; 0: it is no longer his. */
static int numapool_move_on(numapool_buffer_descriptor *at, uint32_t phase, uint32_t owner, uint64_t next) {
    /* Only WAITERS can change while the owner stays, and it is set once. */
    for (int attempt = 0; attempt < 4; attempt++) {
        uint64_t word = numapool_state(at);
        if (!numapool_is(word, phase, owner)) {
            return 0;
        }
        if (numapool_cas(at, word, next | (word & NUMAPOOL_VERSION_MASK))) {
            if ((word & NUMAPOOL_WAITERS) != 0) {
                syscall(SYS_futex, &at->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
            }
            return 1;
        }
    }
    return 0;
}

static int numapool_must_move_on(numapool_buffer_descriptor *at, uint32_t phase, uint32_t owner, uint64_t next,
                                 numapool_error *error) {
    return numapool_move_on(at, phase, owner, next)
        ? 0
        : numapool_fail(error, NUMAPOOL_CORRUPT,
                        "a buffer was %llx where slot %u owned it: this process was reaped while it was alive (was its "
                        "descriptor of clients.lock closed?); attach again", (unsigned long long)numapool_state(at),
                        owner - 1);
}

static int numapool_tag_is(const numapool_buffer_descriptor *at, uint32_t space, uint64_t block) {
    return __atomic_load_n(&at->block, __ATOMIC_RELAXED) == block
           && __atomic_load_n(&at->space, __ATOMIC_RELAXED) == space;
}

static void numapool_set_tag(numapool_buffer_descriptor *at, uint32_t space, uint64_t block) {
    __atomic_store_n(&at->block, block, __ATOMIC_RELAXED);
    __atomic_store_n(&at->space, space, __ATOMIC_RELAXED);
}

/* Buckets after the home bucket to look at; -1: corrupt. */
static int numapool_reach(const numapool_client *client, const numapool_lookup_bucket *home) {
    uint32_t reach = __atomic_load_n(&home->reach, __ATOMIC_ACQUIRE);
    return reach < client->probe_count ? (int)reach : -1;
}

static int numapool_corrupt_reach(numapool_error *error) {
    return numapool_fail(error, NUMAPOOL_CORRUPT, "a bucket of the lookup table has a reach that cannot be: the control "
                         "file was overwritten; restart the pod");
}

static int numapool_lock_word(uint32_t *word, uint32_t owner, const char *what, numapool_error *error) {
    uint64_t deadline = 0;
    for (uint32_t spin = 0;; spin++) {
        uint32_t free_word = 0;
        if (__atomic_compare_exchange_n(word, &free_word, owner, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            return 0;
        }
        if (spin < NUMAPOOL_LOCK_SPINS) {
            continue;
        }
        uint64_t now = numapool_nanos(CLOCK_MONOTONIC);
        deadline = deadline == 0 ? now + NUMAPOOL_LOCK_WAIT_NANOS : deadline;
        if (now > deadline) {
            return numapool_fail(error, NUMAPOOL_STUCK,
                                 "%s has been locked by %u for %llu ms; continue that process if it is stopped, or end "
                                 "it: the sidecar frees what it held", what, free_word,
                                 (unsigned long long)(NUMAPOOL_LOCK_WAIT_NANOS / 1000000));
        }
        numapool_park(NUMAPOOL_LOCK_PARK_NANOS);
    }
}

static void numapool_unlock_word(uint32_t *word) {
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

static uint64_t numapool_entry(const numapool_lookup_bucket *bucket, int i) {
    return __atomic_load_n(bucket->entries + i, __ATOMIC_ACQUIRE);
}

/* 1: the tag has a buffer; 0: not; -1: corrupt. Tags, not fingerprints: two blocks may share a fingerprint. */
static int numapool_holds_tag(const numapool_client *client, const numapool_lookup_bucket *bucket, uint64_t hash,
                              uint32_t space, uint64_t block) {
    for (int i = 0; i < NUMAPOOL_BUCKET_ENTRY_COUNT; i++) {
        uint64_t entry = numapool_entry(bucket, i);
        if (entry == 0 || entry >> 48 != (hash & 0xFFFF)) {
            continue;
        }
        const numapool_buffer_descriptor *at = numapool_descriptor(client, entry & NUMAPOOL_NUMBER_MASK);
        if (at == NULL || numapool_tag_is(at, space, block)) {
            return at == NULL ? -1 : 1;
        }
    }
    return 0;
}

/* Under the lock of the home bucket. */
static int numapool_place(numapool_client *client, uint64_t home, uint32_t reach, uint64_t entry) {
    for (uint32_t distance = 0; distance < client->probe_count; distance++) {
        numapool_lookup_bucket *bucket = numapool_bucket(client, home, distance);
        for (int i = 0; i < NUMAPOOL_BUCKET_ENTRY_COUNT; i++) {
            uint64_t empty = 0;
            if (numapool_entry(bucket, i) != 0) {
                continue;
            }
            if (distance > reach) {
                __atomic_store_n(&numapool_bucket(client, home, 0)->reach, distance, __ATOMIC_RELEASE);
            }
            /* Keys of other home buckets come here under other locks. */
            if (__atomic_compare_exchange_n(bucket->entries + i, &empty, entry, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
                return 1;
            }
        }
    }
    return 0;
}

/* *present: somebody was faster. */
static int numapool_insert(numapool_session *session, uint64_t hash, uint32_t space, uint64_t block, uint64_t number,
                           int *present, numapool_error *error) {
    numapool_client *client = session->client;
    uint64_t home = numapool_home(client, hash);
    numapool_lookup_bucket *bucket = numapool_bucket(client, home, 0);
    *present = 0;
    int failed = numapool_lock_word(&bucket->lock, session->owner, "a bucket of the lookup table", error);
    if (failed) {
        return failed;
    }
    int reach = numapool_reach(client, bucket);
    for (int distance = 0; distance <= reach && *present == 0; distance++) {
        *present = numapool_holds_tag(client, numapool_bucket(client, home, (uint32_t)distance), hash, space, block);
    }
    if (reach < 0 || *present < 0) {
        *present = 0;
        failed = numapool_corrupt_reach(error);
    } else if (!*present && !numapool_place(client, home, (uint32_t)reach, ((hash & 0xFFFF) << 48) | number)) {
        failed = numapool_fail(error, NUMAPOOL_TABLE_FULL,
                               "block %llu of space %u found no place in %d buckets of the lookup table. Read it without "
                               "the pool, or try again later", (unsigned long long)block, space, NUMAPOOL_PROBE_MAX);
    }
    numapool_unlock_word(&bucket->lock);
    return failed;
}

/* Under the lock its own keys' tags cannot change; a stranger's can only make the result too high. */
static void numapool_shrink_reach(numapool_client *client, uint64_t home, int reach) {
    int found = 0;
    for (; reach > 0; reach--) {
        numapool_lookup_bucket *bucket = numapool_bucket(client, home, (uint32_t)reach);
        for (int i = 0; i < NUMAPOOL_BUCKET_ENTRY_COUNT; i++) {
            uint64_t entry = numapool_entry(bucket, i);
            const numapool_buffer_descriptor *at = numapool_descriptor(client, entry & NUMAPOOL_NUMBER_MASK);
            found |= entry != 0 && (at == NULL
                || numapool_home(client, numapool_hash(__atomic_load_n(&at->space, __ATOMIC_RELAXED),
                                                       __atomic_load_n(&at->block, __ATOMIC_RELAXED))) == home);
        }
        if (found) {
            break;
        }
    }
    __atomic_store_n(&numapool_bucket(client, home, 0)->reach, (uint32_t)reach, __ATOMIC_RELEASE);
}

/* *removed: there was an entry of that hash that maps the buffer. */
static int numapool_remove(numapool_session *session, uint64_t hash, uint64_t number, int *removed,
                           numapool_error *error) {
    numapool_client *client = session->client;
    uint64_t home = numapool_home(client, hash), wanted = ((hash & 0xFFFF) << 48) | number;
    numapool_lookup_bucket *bucket = numapool_bucket(client, home, 0);
    *removed = 0;
    int failed = numapool_lock_word(&bucket->lock, session->owner, "a bucket of the lookup table", error);
    if (failed) {
        return failed;
    }
    int reach = numapool_reach(client, bucket);
    for (int distance = 0; distance <= reach && !*removed; distance++) {
        numapool_lookup_bucket *at = numapool_bucket(client, home, (uint32_t)distance);
        for (int i = 0; i < NUMAPOOL_BUCKET_ENTRY_COUNT && !*removed; i++) {
            if (numapool_entry(at, i) == wanted) {
                __atomic_store_n(at->entries + i, 0, __ATOMIC_RELEASE);
                *removed = 1;
                if (reach > 0 && distance == reach) {
                    numapool_shrink_reach(client, home, reach);
                }
            }
        }
    }
    numapool_unlock_word(&bucket->lock);
    return reach < 0 ? numapool_corrupt_reach(error) : 0;
}

static int numapool_may_go(uint64_t word) {
    return (word & NUMAPOOL_WRITING) == 0 && ((word & NUMAPOOL_DIRTY) == 0 || (word & NUMAPOOL_TORN_FLAG) != 0);
}

/* Reads every ledger once for the whole batch, after the fence that answers the pinners'. */
static void numapool_scan_ledgers(numapool_session *session) {
    numapool_client *client = session->client;
    uint32_t leased = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < client->slot_count; i++) {
        if ((__atomic_load_n(client->occupancy + i / 64, __ATOMIC_ACQUIRE) >> (i % 64) & 1) == 0) {
            continue;
        }
        numapool_slot *slot = numapool_slot_at(client, i);
        uint32_t high = __atomic_load_n(&slot->ledgerHigh, __ATOMIC_ACQUIRE);
        leased++;
        for (uint32_t at = 0; at < high && at < NUMAPOOL_LEDGER_ENTRY_COUNT; at++) {
            uint64_t entry = __atomic_load_n(slot->ledger + at, __ATOMIC_ACQUIRE);
            for (uint32_t c = 0; entry != 0 && c < session->candidate_count; c++) {
                session->held[c] |= session->candidates[c] == (entry & NUMAPOOL_NUMBER_MASK);
            }
        }
    }
    session->leased_slots = leased > 0 ? leased : 1;
}

/* EVICTING to UNMAPPING by compare-and-set, because a pinner may take it back until then; out of the table; CLAIMED. */
static int numapool_unmap(numapool_session *session, uint64_t number, int *evicted, numapool_error *error) {
    numapool_buffer_descriptor *at = numapool_descriptor(session->client, number);
    uint64_t flags = numapool_state(at) & (NUMAPOOL_DIRTY | NUMAPOOL_TORN_FLAG);
    int removed;
    *evicted = 0;
    if (!numapool_move_on(at, NUMAPOOL_EVICTING, session->owner, numapool_word(NUMAPOOL_UNMAPPING, session->owner, 0))) {
        return 0;
    }
    int failed = numapool_remove(session, numapool_hash(__atomic_load_n(&at->space, __ATOMIC_RELAXED),
                                                        __atomic_load_n(&at->block, __ATOMIC_RELAXED)),
                                 number, &removed, error);
    if (failed) {
        /* Still mapped, and nobody could pin it meanwhile: as good as before. */
        numapool_move_on(at, NUMAPOOL_UNMAPPING, session->owner, NUMAPOOL_VALID | NUMAPOOL_USAGE_ONE | flags);
        return failed;
    }
    failed = numapool_must_move_on(at, NUMAPOOL_UNMAPPING, session->owner,
                                   numapool_word(NUMAPOOL_CLAIMED, session->owner, 0), error);
    if (!failed) {
        numapool_count(session, numapool_group(session->client, number), NUMAPOOL_COUNTER_EVICTIONS, 1);
        *evicted = 1;
    }
    return failed;
}

static void numapool_free_claimed(numapool_session *session, uint64_t number) {
    numapool_move_on(numapool_descriptor(session->client, number), NUMAPOOL_CLAIMED, session->owner, NUMAPOOL_FREE);
}

static void numapool_keep(numapool_session *session, uint64_t number) {
    if (session->victim_count < NUMAPOOL_BATCH_MAX) {
        session->victims[session->victim_count++] = number;
    } else {
        numapool_free_claimed(session, number);
    }
}

/* Pinned candidates go back, the others become victims. */
static int numapool_settle(numapool_session *session, numapool_partition *partition, numapool_error *error) {
    uint64_t total = 0;
    int failed = 0;
    if (session->candidate_count > 0) {
        numapool_scan_ledgers(session);
    }
    for (uint32_t i = 0; i < session->candidate_count && !failed; i++) {
        int evicted = 0;
        if (!session->held[i]) {
            failed = numapool_unmap(session, session->candidates[i], &evicted, error);
        }
        if (evicted) {
            total++;
            numapool_keep(session, session->candidates[i]);
        }
    }
    for (uint32_t i = 0; i < session->candidate_count; i++) {
        numapool_buffer_descriptor *at = numapool_descriptor(session->client, session->candidates[i]);
        uint64_t word = numapool_state(at);
        /* If it is not ours any more, a pinner took it back himself. */
        if (numapool_is(word, NUMAPOOL_EVICTING, session->owner)) {
            numapool_cas(at, word, numapool_given_back(word));
        }
    }
    session->candidate_count = 0;
    if (total > 0) {
        __atomic_fetch_add(&partition->lines->evictions, total, __ATOMIC_SEQ_CST);
    }
    return failed;
}

static int numapool_take_if(numapool_session *session, uint64_t number, numapool_buffer_descriptor *at, uint64_t word) {
    int taken = session->victim_count < NUMAPOOL_BATCH_MAX
                && numapool_cas(at, word, numapool_word(NUMAPOOL_CLAIMED, session->owner, word));
    if (taken) {
        session->victims[session->victim_count++] = number;
    }
    return taken;
}

static void numapool_examine(numapool_session *session, uint64_t number, numapool_buffer_descriptor *at) {
    uint64_t word = __atomic_load_n(&at->state, __ATOMIC_ACQUIRE);
    if (numapool_phase(word) == NUMAPOOL_FREE) {
        numapool_take_if(session, number, at, word);
    } else if (numapool_phase(word) == NUMAPOOL_VALID && numapool_may_go(word)) {
        if ((word & NUMAPOOL_USAGE_MASK) > 0) {
            /* Losing this race means that somebody just used it: no reason to repeat. */
            numapool_cas(at, word, word - NUMAPOOL_USAGE_ONE);
        } else {
            uint64_t evicting = (numapool_bump(word) & ~(NUMAPOOL_PHASE_MASK | NUMAPOOL_OWNER_MASK)) | NUMAPOOL_EVICTING
                                | ((uint64_t)session->owner << NUMAPOOL_OWNER_SHIFT);
            if (numapool_cas(at, word, evicting)) {
                session->held[session->candidate_count] = 0;
                session->candidates[session->candidate_count++] = number;
            }
        }
    }
}

/* Sweeps a partition until there is a victim, at most one turn. */
static int numapool_sweep_turn(numapool_session *session, uint32_t index, numapool_error *error) {
    numapool_client *client = session->client;
    numapool_partition *partition = client->partitions + index;
    uint64_t count = __atomic_load_n(&partition->count, __ATOMIC_RELAXED);
    int failed = 0;
    for (uint64_t ticks = 0; ticks < count && session->victim_count == 0 && !failed;) {
        uint64_t batch = client->buffer_count / ((uint64_t)NUMAPOOL_RESERVE_SHARE * session->leased_slots);
        batch = batch > count ? count : batch;
        batch = batch > NUMAPOOL_BATCH_MAX ? NUMAPOOL_BATCH_MAX : batch < 1 ? 1 : batch;
        uint64_t at = __atomic_fetch_add(&partition->lines->hand, batch, __ATOMIC_SEQ_CST) % count;
        for (uint64_t i = 0; i < batch; i++, at = at + 1 == count ? 0 : at + 1) {
            numapool_examine(session, ((uint64_t)index << NUMAPOOL_PARTITION_SHIFT) | (at + 1),
                             partition->descriptors + at);
        }
        failed = numapool_settle(session, partition, error);
        ticks += batch;
    }
    return failed;
}

static uint64_t numapool_turns(const numapool_partition *partition) {
    uint64_t count = __atomic_load_n(&partition->count, __ATOMIC_RELAXED);
    return count == 0 ? INT64_MAX : __atomic_load_n(&partition->lines->hand, __ATOMIC_RELAXED) / count;
}

/* The home partition that lags most while it is not a turn ahead of the slowest of all; else that one. */
static uint32_t numapool_choose_partition(const numapool_session *session) {
    const numapool_client *client = session->client;
    int64_t slowest = -1, home = -1;
    for (uint32_t i = 0; i < client->partition_count; i++) {
        uint32_t at = (session->owner + i) % client->partition_count;
        const numapool_partition *partition = client->partitions + at;
        int node = client->groups[__atomic_load_n(&partition->group, __ATOMIC_RELAXED)] - 1;
        if (slowest < 0 || numapool_turns(partition) < numapool_turns(client->partitions + slowest)) {
            slowest = at;
        }
        if (node == session->home_node
            && (home < 0 || numapool_turns(partition) < numapool_turns(client->partitions + home))) {
            home = at;
        }
    }
    return (uint32_t)(home >= 0 && numapool_turns(client->partitions + home)
                                       <= numapool_turns(client->partitions + slowest) ? home : slowest);
}

/* The last resort: a free buffer anywhere, or one that another session keeps for its next miss. */
static void numapool_steal_one(numapool_session *session) {
    numapool_client *client = session->client;
    for (uint32_t p = 0; p < client->partition_count; p++) {
        uint64_t count = __atomic_load_n(&client->partitions[p].count, __ATOMIC_RELAXED);
        for (uint64_t i = 0; i < count; i++) {
            numapool_buffer_descriptor *at = client->partitions[p].descriptors + i;
            uint64_t word = __atomic_load_n(&at->state, __ATOMIC_ACQUIRE);
            uint64_t number = ((uint64_t)p << NUMAPOOL_PARTITION_SHIFT) | (i + 1);
            uint32_t phase = numapool_phase(word);
            if ((phase == NUMAPOOL_FREE || phase == NUMAPOOL_CLAIMED) && numapool_take_if(session, number, at, word)) {
                if (phase == NUMAPOOL_CLAIMED) {
                    numapool_count(session, numapool_group(client, number), NUMAPOOL_COUNTER_STEALS, 1);
                }
                return;
            }
        }
    }
}

static int numapool_try_refill(numapool_session *session, numapool_error *error) {
    numapool_client *client = session->client;
    int failed = numapool_refresh(client, error);
    if (failed) {
        return failed;
    }
    uint32_t first = numapool_choose_partition(session);
    failed = numapool_sweep_turn(session, first, error);
    for (int turn = 0; turn < NUMAPOOL_TURNS_MAX; turn++) {
        for (uint32_t i = 0; i < client->partition_count && session->victim_count == 0 && !failed; i++) {
            failed = numapool_sweep_turn(session, (first + i) % client->partition_count, error);
        }
    }
    if (!failed && session->victim_count == 0) {
        numapool_steal_one(session);
    }
    return session->victim_count > 0 ? 0 : failed;
}

/* A buffer that is CLAIMED by this session, unless somebody steals it meanwhile. */
static int numapool_take_victim(numapool_session *session, uint64_t *number, numapool_error *error) {
    uint64_t deadline = 0, park = 20000;
    if (session->victim_count == 0 && ++session->refills % NUMAPOOL_NODE_REFRESH == 0) {
        session->home_node = numapool_current_node();
    }
    while (session->victim_count == 0) {
        int failed = numapool_try_refill(session, error);
        uint64_t now = numapool_nanos(CLOCK_MONOTONIC);
        deadline = deadline == 0 ? now + NUMAPOOL_VICTIM_WAIT_NANOS : deadline;
        if (failed || (session->victim_count == 0 && now >= deadline)) {
            return failed ? failed
                          : numapool_fail(error, NUMAPOOL_NO_VICTIM,
                                          "none of %llu buffers could be evicted in %llu ms: all are pinned, in use or "
                                          "being loaded. Unpin pages sooner, or raise spec.size",
                                          (unsigned long long)session->client->buffer_count,
                                          (unsigned long long)(NUMAPOOL_VICTIM_WAIT_NANOS / 1000000));
        }
        if (session->victim_count == 0) {
            numapool_park(park);
            park = park >= 2500000 ? 5000000 : 2 * park;
        }
    }
    *number = session->victims[--session->victim_count];
    return 0;
}
