
/* ---- pins and reads ----------------------------------------------------------------------------------------------- */

enum { NUMAPOOL_FOUND, NUMAPOOL_MISS, NUMAPOOL_BUSY, NUMAPOOL_TORN_PAGE };

/* The page cannot go any more; is it the right one, and whole? */
static int numapool_accept(numapool_buffer_descriptor *at, uint64_t word, uint32_t space, uint64_t block) {
    if (!numapool_tag_is(at, space, block)) {
        return NUMAPOOL_MISS;
    }
    if ((word & NUMAPOOL_TORN_FLAG) != 0) {
        return NUMAPOOL_TORN_PAGE;
    }
    if (numapool_phase(word) == NUMAPOOL_VALID && numapool_below_usage_max(word)) {
        /* Losing this race loses one use out of five. */
        numapool_cas(at, word, word + NUMAPOOL_USAGE_ONE);
    }
    return NUMAPOOL_FOUND;
}

/*
 * After publication and fence. A pinner that meets EVICTING keeps its ledger entry and takes the page back. If that fails
 * and the word is EVICTING in another version, that eviction began after the publication, so its scan finds the entry:
 * pinned already. Without this rule pinner and sweepers can step back from each other for ever.
 */
static int numapool_confirm(numapool_session *session, numapool_buffer_descriptor *at, uint64_t number, uint32_t space,
                            uint64_t block) {
    uint64_t word = numapool_state(at);
    for (int round = 0; round < NUMAPOOL_CONFIRM_ROUNDS; round++) {
        uint32_t phase = numapool_phase(word);
        if (phase == NUMAPOOL_VALID) {
            return numapool_accept(at, word, space, block);
        }
        if (phase == NUMAPOOL_LOADING || phase == NUMAPOOL_UNMAPPING) {
            session->busy_number = number;
            session->busy_word = word;
            return numapool_tag_is(at, space, block) ? NUMAPOOL_BUSY : NUMAPOOL_MISS;
        }
        if (phase != NUMAPOOL_EVICTING) {
            return NUMAPOOL_MISS;
        }
        if (numapool_cas(at, word, numapool_given_back(word))) {
            numapool_count(session, numapool_group(session->client, number), NUMAPOOL_COUNTER_RESCUES, 1);
            return numapool_accept(at, numapool_given_back(word), space, block);
        }
        uint64_t next = numapool_state(at);
        if (numapool_phase(next) == NUMAPOOL_EVICTING
            && (next & NUMAPOOL_VERSION_MASK) != (word & NUMAPOOL_VERSION_MASK)) {
            return numapool_accept(at, next, space, block);
        }
        word = next;
    }
    return NUMAPOOL_MISS;
}

static int numapool_pin_number(numapool_session *session, uint64_t number, numapool_buffer_descriptor *at,
                               uint32_t space, uint64_t block) {
    uint32_t held = numapool_find_pin(session, number);
    if (held != 0) {
        if (!numapool_tag_is(at, space, block)) {
            return NUMAPOOL_MISS;
        }
        session->counts[held - 1]++;
        return NUMAPOOL_FOUND;
    }
    uint32_t position = numapool_publish(session, number);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    int outcome = numapool_confirm(session, at, number, space, block);
    if (outcome != NUMAPOOL_FOUND) {
        numapool_unpin_at(session, position);
    }
    return outcome;
}

/* Looks the block up and pins it; *outcome says how that went. */
static int numapool_find_and_pin(numapool_session *session, uint32_t space, uint64_t block, uint64_t hash,
                                 uint64_t *number, int *outcome, numapool_error *error) {
    numapool_client *client = session->client;
    uint64_t home = numapool_home(client, hash);
    int distance = 0, reach;
    do {
        numapool_lookup_bucket *bucket = numapool_bucket(client, home, (uint32_t)distance);
        for (int i = 0; i < NUMAPOOL_BUCKET_ENTRY_COUNT; i++) {
            uint64_t entry = numapool_entry(bucket, i);
            if (entry == 0 || entry >> 48 != (hash & 0xFFFF)) {
                continue;
            }
            *number = entry & NUMAPOOL_NUMBER_MASK;
            numapool_buffer_descriptor *at = numapool_descriptor(client, *number);
            if (at == NULL) {
                return numapool_corrupt_number(error, *number);
            }
            *outcome = numapool_pin_number(session, *number, at, space, block);
            if (*outcome != NUMAPOOL_MISS) {
                return *outcome != NUMAPOOL_TORN_PAGE ? 0
                    : numapool_fail(error, NUMAPOOL_TORN,
                                    "block %llu of space %u was being written by a process that died inside the write. "
                                    "Recover the file and open it again", (unsigned long long)block, space);
            }
        }
        reach = numapool_reach(client, numapool_bucket(client, home, 0));
    } while (++distance <= reach);
    *outcome = NUMAPOOL_MISS;
    return reach < 0 ? numapool_corrupt_reach(error) : 0;
}

/* Sleeps a bounded time until the buffer that was BUSY moves on; published, so that the reaper can wake it. */
static void numapool_await_busy(numapool_session *session) {
    numapool_slot *slot = numapool_slot_at(session->client, session->owner - 1);
    numapool_buffer_descriptor *at = numapool_descriptor(session->client, session->busy_number);
    uint64_t waited = session->busy_word | NUMAPOOL_WAITERS;
    struct timespec slice = {0, (long)NUMAPOOL_SLEEP_SLICE_NANOS};
    numapool_count(session, numapool_group(session->client, session->busy_number), NUMAPOOL_COUNTER_WAITS, 1);
    __atomic_store_n(&slot->waitOn, session->busy_number, __ATOMIC_SEQ_CST);
    if (session->busy_word == waited || numapool_cas(at, session->busy_word, waited)) {
        syscall(SYS_futex, &at->state, FUTEX_WAIT, (uint32_t)waited, &slice, NULL, 0);
    }
    __atomic_store_n(&slot->waitOn, 0, __ATOMIC_RELEASE);
}

/* The block could not be read: nobody must find it. */
static void numapool_unmap_failed(numapool_session *session, uint64_t hash, uint64_t number,
                                  numapool_buffer_descriptor *at) {
    int removed = 0;
    numapool_count(session, numapool_group(session->client, number), NUMAPOOL_COUNTER_LOAD_FAILURES, 1);
    if (numapool_remove(session, hash, number, &removed, NULL) || !removed) {
        /* The entry had to stay: without a tag nobody takes it for the block's. */
        numapool_set_tag(at, 0, 0);
    }
    numapool_move_on(at, NUMAPOOL_LOADING, session->owner, NUMAPOOL_FREE);
}

/* Gives a victim the tag and fills it; *number 0: somebody else was faster. */
static int numapool_admit(numapool_session *session, uint32_t space, uint64_t block, uint64_t hash,
                          numapool_loader loader, void *context, uint64_t *number, numapool_error *error) {
    numapool_client *client = session->client;
    uint64_t victim = 0;
    int present = 0, failed = numapool_take_victim(session, &victim, error);
    *number = 0;
    if (failed) {
        return failed;
    }
    numapool_buffer_descriptor *at = numapool_descriptor(client, victim);
    uint64_t claimed = numapool_state(at);
    /* Its tag may be written only after this: another session may steal a CLAIMED buffer. */
    if (!numapool_is(claimed, NUMAPOOL_CLAIMED, session->owner)
        || !numapool_cas(at, claimed, numapool_bump(numapool_word(NUMAPOOL_LOADING, session->owner, claimed)))) {
        return 0;
    }
    numapool_set_tag(at, space, block);
    failed = numapool_insert(session, hash, space, block, victim, &present, error);
    if (failed) {
        numapool_move_on(at, NUMAPOOL_LOADING, session->owner, NUMAPOOL_FREE);
        return failed;
    }
    if (present) {
        numapool_keep(session, victim);
        return numapool_must_move_on(at, NUMAPOOL_LOADING, session->owner,
                                     numapool_word(NUMAPOOL_CLAIMED, session->owner, 0), error);
    }
    numapool_count(session, numapool_group(client, victim), NUMAPOOL_COUNTER_MISSES, 1);
    failed = loader(context, block, numapool_bytes(client, victim), client->buffer_bytes);
    /* A loader that pins pages itself may have used up the entry this pin needs. */
    failed = failed ? numapool_fail(error, NUMAPOOL_IO, "block %llu of space %u could not be read: the loader said %d",
                                    (unsigned long long)block, space, failed)
                    : numapool_reserve(session, error);
    if (failed) {
        numapool_unmap_failed(session, hash, victim, at);
        return failed;
    }
    /* The pin before VALID, so that no sweeper takes the page in between. */
    numapool_publish(session, victim);
    *number = victim;
    return numapool_must_move_on(at, NUMAPOOL_LOADING, session->owner, NUMAPOOL_VALID + NUMAPOOL_USAGE_ONE, error);
}

/* Through a ReadOnly descriptor nothing is admitted: the page is read into memory of the process. */
static int numapool_pin_privately(numapool_session *session, uint32_t space, uint64_t block, numapool_loader loader,
                                  void *context, numapool_page *page, numapool_error *error) {
    size_t bytes = session->client->buffer_bytes;
    void *memory = aligned_alloc(bytes < 4096 ? 512 : 4096, bytes);
    if (memory == NULL) {
        return numapool_fail(error, NUMAPOOL_NO_MEMORY, "no memory for a page of %zu bytes", bytes);
    }
    numapool_count(session, 0, NUMAPOOL_COUNTER_MISSES, 1);
    int failed = loader(context, block, memory, bytes);
    if (failed) {
        free(memory);
        return numapool_fail(error, NUMAPOOL_IO, "block %llu of space %u could not be read: the loader said %d",
                             (unsigned long long)block, space, failed);
    }
    session->private_pages++;
    *page = (numapool_page){.bytes = memory, .length = bytes, .loaded = 1, .handle = 0, .lease = session->attachment};
    return 0;
}

int numapool_pin_loaded(numapool_session *session, uint32_t space, uint64_t block, numapool_loader loader, void *context,
                        numapool_page *page, numapool_error *error) {
    numapool_client *client = session->client;
    uint64_t hash = numapool_hash(space, block), number = 0, deadline = 0;
    int failed = numapool_enter(session, error), outcome = NUMAPOOL_MISS, loaded = 0;
    if (failed || space == 0 || block > INT64_MAX) {
        return failed ? failed : numapool_fail(error, NUMAPOOL_MISUSE, "block %llu of space %u: a space comes from "
                                               "numapool_register", (unsigned long long)block, space);
    }
    while (!(failed = numapool_reserve(session, error))
           && !(failed = numapool_find_and_pin(session, space, block, hash, &number, &outcome, error))
           && outcome != NUMAPOOL_FOUND) {
        uint64_t now = numapool_nanos(CLOCK_MONOTONIC);
        deadline = deadline == 0 ? now + NUMAPOOL_LOAD_WAIT_NANOS : deadline;
        if (now > deadline) {
            return numapool_fail(error, NUMAPOOL_STUCK,
                                 "block %llu of space %u has been loaded or unmapped by slot %d for %llu ms; its storage "
                                 "hangs or that process is stopped: continue it, or end it", (unsigned long long)block,
                                 space, (int)(session->busy_word >> NUMAPOOL_OWNER_SHIFT) - 1,
                                 (unsigned long long)(NUMAPOOL_LOAD_WAIT_NANOS / 1000000));
        }
        if (outcome == NUMAPOOL_BUSY) {
            numapool_await_busy(session);
        } else if (client->read_only) {
            return numapool_pin_privately(session, space, block, loader, context, page, error);
        } else if ((failed = numapool_admit(session, space, block, hash, loader, context, &number, error)) != 0
                   || (loaded = number != 0) != 0) {
            break;
        }
    }
    if (failed) {
        return failed;
    }
    if (!loaded) {
        numapool_count(session, numapool_group(client, number), NUMAPOOL_COUNTER_HITS, 1);
    }
    *page = (numapool_page){.bytes = numapool_bytes(client, number), .length = client->buffer_bytes, .loaded = loaded,
                            .handle = number, .lease = session->attachment};
    return 0;
}

int numapool_unpin(numapool_session *session, numapool_page *page, numapool_error *error) {
    int failed = numapool_own(session->client, error);
    if (failed) {
        return failed;
    }
    uint32_t held = page->handle == 0 || session->attachment != session->client->attachment
        ? 0 : numapool_find_pin(session, page->handle);
    if (page->bytes != NULL && page->handle == 0) {
        free((void *)(uintptr_t)page->bytes);
        session->private_pages--;
    } else if (page->bytes == NULL || held == 0 || page->lease != session->attachment) {
        return numapool_fail(error, NUMAPOOL_MISUSE, "buffer %llx is not pinned by this session: unpinned twice, or "
                             "pinned before a fork?", (unsigned long long)page->handle);
    } else {
        numapool_unpin_at(session, held - 1);
    }
    *page = (numapool_page){0};
    return 0;
}

int numapool_close_session(numapool_session *session, numapool_error *error) {
    uint32_t pinned = 0;
    /* In a child that never used it, the slot is the parent's. */
    if (*session->client->alive != 0 && session->attachment == session->client->attachment) {
        while (session->victim_count > 0) {
            numapool_free_claimed(session, session->victims[--session->victim_count]);
        }
        for (uint32_t position = 0; position < session->next_position; position++) {
            if (session->numbers[position] != 0) {
                numapool_clear_pin(session, position);
                pinned++;
            }
        }
        for (uint32_t i = session->slot_count; i > 0; i--) {
            numapool_release(session->client, session->slots[i - 1]);
        }
    }
    pinned += session->private_pages;
    numapool_free_session(session);
    return pinned == 0 ? 0 : numapool_fail(error, NUMAPOOL_MISUSE, "a session was closed with %u pages pinned; unpin "
                                           "them first", pinned);
}

/* Copies without pinning: both looks at the state word have to show the same version of a whole VALID page. */
static int numapool_try_read(numapool_session *session, uint32_t space, uint64_t block, void *target, size_t bytes) {
    numapool_client *client = session->client;
    numapool_slot *slot = numapool_slot_at(client, session->owner - 1);
    uint64_t hash = numapool_hash(space, block), home = numapool_home(client, hash), before, after;
    int done = 0, reach = numapool_reach(client, numapool_bucket(client, home, 0));
    /* So that memory is never taken from the page while it is copied. */
    __atomic_store_n(&slot->epoch, __atomic_load_n(&client->header->placementEpoch, __ATOMIC_RELAXED) + 1,
                     __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (int i = 0; i < (reach + 1) * NUMAPOOL_BUCKET_ENTRY_COUNT && !done; i++) {
        numapool_lookup_bucket *bucket = numapool_bucket(client, home, (uint32_t)(i / NUMAPOOL_BUCKET_ENTRY_COUNT));
        uint64_t entry = numapool_entry(bucket, i % NUMAPOOL_BUCKET_ENTRY_COUNT), number = entry & NUMAPOOL_NUMBER_MASK;
        numapool_buffer_descriptor *at = numapool_descriptor(client, number);
        if (entry == 0 || entry >> 48 != (hash & 0xFFFF) || at == NULL || !numapool_tag_is(at, space, block)) {
            continue;
        }
        before = numapool_state(at);
        if (numapool_phase(before) != NUMAPOOL_VALID || (before & (NUMAPOOL_WRITING | NUMAPOOL_TORN_FLAG)) != 0
            || !numapool_tag_is(at, space, block)) {
            break;
        }
        memcpy(target, numapool_bytes(client, number), bytes);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        after = numapool_state(at);
        done = numapool_phase(after) == NUMAPOOL_VALID && (after & (NUMAPOOL_WRITING | NUMAPOOL_TORN_FLAG)) == 0
               && (after & NUMAPOOL_VERSION_MASK) == (before & NUMAPOOL_VERSION_MASK);
        numapool_count(session, numapool_group(client, number), done ? NUMAPOOL_COUNTER_HITS : NUMAPOOL_COUNTER_RETRIES,
                       1);
        if (!done) {
            break;
        }
        if (numapool_below_usage_max(after)) {
            numapool_cas(at, after, after + NUMAPOOL_USAGE_ONE);
        }
    }
    __atomic_store_n(&slot->epoch, 0, __ATOMIC_RELEASE);
    return done;
}
