
/* ---- spaces: files ------------------------------------------------------------------------------------------------ */

/* A space that is changed through the pool: not this client's to read under a number of the file's own content. */
static int numapool_is_writable(const numapool_space_entry *entry) {
    return entry->space != 0 && entry->access != 0;
}

/* Empty ones first, then the one registered longest ago; never one that somebody may have open for writing. */
static numapool_space_entry *numapool_oldest_space(numapool_client *client) {
    numapool_space_entry *oldest = NULL;
    for (uint32_t i = 0; i < client->space_count; i++) {
        numapool_space_entry *entry = client->spaces + i;
        if (numapool_is_writable(entry) && __atomic_load_n(&entry->open, __ATOMIC_ACQUIRE) != 0) {
            continue;
        }
        if (oldest == NULL || (oldest->space != 0
                               && (entry->space == 0 || entry->registeredSequence < oldest->registeredSequence))) {
            oldest = entry;
        }
    }
    return oldest;
}

uint32_t numapool_register(numapool_client *client, const numapool_identity *identity, numapool_error *error) {
    if (numapool_own(client, error)) {
        return 0;
    }
    pthread_mutex_lock(&client->mutex);
    numapool_control_header *header = client->header;
    numapool_space_entry *oldest = NULL;
    uint32_t found = 0;
    if (!numapool_lock_word(&header->spaceLock, client->number, "the space table", error)) {
        uint64_t sequence = ++header->registrations;
        for (uint32_t i = 0; i < client->space_count && found == 0; i++) {
            numapool_space_entry *entry = client->spaces + i;
            numapool_identity there = {entry->device, entry->inode, entry->inodeGeneration, entry->fileBytes,
                                       entry->modifiedNanos, entry->changedNanos};
            if (entry->space != 0 && !numapool_is_writable(entry) && memcmp(&there, identity, sizeof there) == 0) {
                entry->registeredSequence = sequence;
                found = entry->space;
            }
        }
        if (found == 0 && (oldest = numapool_oldest_space(client)) == NULL) {
            numapool_fail(error, NUMAPOOL_STUCK, "all %u entries of the space table are files that are open for writing: "
                          "close some of them", (unsigned)client->space_count);
        } else if (found == 0 && (found = header->nextSpace + 1) == 0) {
            numapool_fail(error, NUMAPOOL_CORRUPT, "all 4294967295 space numbers of this segment are used up; restart "
                          "the pod");
        } else if (found == header->nextSpace + 1) {
            /* Number 0 first, number last: who dies in between leaves an empty entry and perhaps an unused number. */
            __atomic_store_n(&oldest->space, 0, __ATOMIC_RELEASE);
            __atomic_store_n(&header->nextSpace, found, __ATOMIC_RELEASE);
            oldest->blockBytes = (uint32_t)client->buffer_bytes;
            oldest->device = identity->device;
            oldest->inode = identity->inode;
            oldest->inodeGeneration = identity->inode_generation;
            oldest->fileBytes = identity->file_bytes;
            oldest->modifiedNanos = identity->modified_nanos;
            oldest->changedNanos = identity->changed_nanos;
            oldest->registeredSequence = sequence;
            oldest->access = 0;
            oldest->durability = 0;
            oldest->crashEpoch = 0;
            oldest->recoveredEpoch = 0;
            oldest->loggedPosition = 0;
            oldest->open = 0;
            oldest->recoverer = 0;
            oldest->orphans = 0;
            __atomic_store_n(&oldest->space, found, __ATOMIC_RELEASE);
        }
        numapool_unlock_word(&header->spaceLock);
    }
    pthread_mutex_unlock(&client->mutex);
    return found;
}

struct numapool_space {
    numapool_client *client;
    char *path;
    int file;
    uint32_t number;
    int changed;                       /* replaced, or another length: refused from then on */
    numapool_identity identity;
    uint64_t checked_nanos;
};

static int numapool_identify(int file, numapool_identity *identity) {
    struct stat status;
    uint64_t generation = 0; /* the kernel writes an int or a long */
    if (fstat(file, &status) != 0) {
        return errno;
    }
    if (!S_ISREG(status.st_mode)) {
        return EINVAL;
    }
    /* Many file systems have none. */
    if (ioctl(file, FS_IOC_GETVERSION, &generation) != 0) {
        generation = 0;
    }
    *identity = (numapool_identity){status.st_dev, status.st_ino, (uint32_t)generation, (uint64_t)status.st_size,
                                    (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec,
                                    (uint64_t)status.st_ctim.tv_sec * 1000000000u + (uint64_t)status.st_ctim.tv_nsec};
    return 0;
}

static int numapool_refuse(numapool_space *space, const char *why, numapool_error *error) {
    space->changed = 1;
    return numapool_fail(error, NUMAPOOL_SPACE_CHANGED, "%.300s %s. Open it again", space->path, why);
}

/* Looks at the open file, and at what its path names now; a rewritten one gets the number of its new content. */
static int numapool_check_file(numapool_space *space, numapool_error *error) {
    numapool_identity now;
    struct stat there;
    int failed = space->changed ? EINVAL : numapool_identify(space->file, &now);
    if (failed) {
        return numapool_refuse(space, "was replaced, or cannot be looked at any more", error);
    }
    if (stat(space->path, &there) != 0 || there.st_dev != now.device || there.st_ino != now.inode) {
        return numapool_refuse(space, "was removed or replaced by another file after it was opened", error);
    }
    if (now.file_bytes != space->identity.file_bytes) {
        return numapool_refuse(space, "has another length than when it was opened", error);
    }
    if (memcmp(&now, &space->identity, sizeof now) != 0) {
        uint32_t number = numapool_register(space->client, &now, error);
        if (number == 0) {
            return NUMAPOOL_STUCK;
        }
        space->number = number;
        space->identity = now;
    }
    space->checked_nanos = numapool_nanos(CLOCK_MONOTONIC_COARSE);
    return 0;
}

numapool_space *numapool_open_file(numapool_client *client, const char *path, numapool_error *error) {
    numapool_space *space = calloc(1, sizeof *space);
    char *copy = strdup(path);
    int file = open(path, O_RDONLY | O_CLOEXEC), failed = file < 0 ? errno : 0;
    if (space != NULL && copy != NULL && !failed) {
        *space = (numapool_space){.client = client, .path = copy, .file = file};
        failed = numapool_identify(file, &space->identity);
        if (!failed && (space->number = numapool_register(client, &space->identity, error)) != 0
            && !numapool_check_file(space, error)) {
            return space;
        }
    }
    if (failed) {
        numapool_fail(error, NUMAPOOL_IO, "opening %.300s as a space failed: %s; it must be a regular file that can be "
                      "read", path, strerror(failed));
    } else if (space == NULL || copy == NULL) {
        numapool_fail(error, NUMAPOOL_NO_MEMORY, "no memory for a space");
    }
    if (file >= 0) {
        close(file);
    }
    free(copy);
    free(space);
    return NULL;
}

uint64_t numapool_block_count(const numapool_space *space) {
    uint64_t bytes = space->client->buffer_bytes;
    return (space->identity.file_bytes + bytes - 1) / bytes;
}

void numapool_close_file(numapool_space *space) {
    if (space != NULL) {
        close(space->file);
        free(space->path);
        free(space);
    }
}

/* What one load knows; code and sentence go round the loader's int. */
typedef struct {
    numapool_space *space;
    uint32_t number;
    int rewritten;
    numapool_error error;
} numapool_file_load;

static int numapool_load_file(void *context, uint64_t block, void *target, size_t bytes) {
    numapool_file_load *load = context;
    uint64_t offset = block * bytes, left = load->space->identity.file_bytes - offset;
    size_t wanted = left < bytes ? left : bytes, done = 0;
    while (done < wanted) {
        ssize_t got = pread(load->space->file, (char *)target + done, wanted - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return numapool_fail(&load->error, got == 0 ? NUMAPOOL_SPACE_CHANGED : NUMAPOOL_IO,
                                 "reading %zu bytes of %.300s at %llu: %s", wanted - done, load->space->path,
                                 (unsigned long long)(offset + done), got == 0 ? "the file ended" : strerror(errno));
        }
        done += (size_t)got;
    }
    memset((char *)target + done, 0, bytes - done);
    int failed = numapool_check_file(load->space, &load->error);
    load->rewritten = !failed && load->space->number != load->number;
    return failed ? failed : load->rewritten;
}

static size_t numapool_block_bytes(const numapool_space *space, uint64_t block) {
    uint64_t left = space->identity.file_bytes - block * space->client->buffer_bytes;
    return left < space->client->buffer_bytes ? left : space->client->buffer_bytes;
}

static int numapool_begin_read(numapool_session *session, numapool_space *space, uint64_t block,
                               numapool_error *error) {
    int failed = numapool_enter(session, error);
    if (failed || space->client != session->client || block >= numapool_block_count(space)) {
        return failed ? failed
                      : numapool_fail(error, NUMAPOOL_MISUSE, "block %llu of %.300s, which has %llu: it must be below, "
                                      "and the file be opened by the session's client", (unsigned long long)block,
                                      space->path, (unsigned long long)numapool_block_count(space));
    }
    uint64_t age = numapool_nanos(CLOCK_MONOTONIC_COARSE) - space->checked_nanos;
    return space->changed || age > NUMAPOOL_FILE_CHECK_NANOS ? numapool_check_file(space, error) : 0;
}

int numapool_pin(numapool_session *session, numapool_space *space, uint64_t block, numapool_page *page,
                 numapool_error *error) {
    int failed = numapool_begin_read(session, space, block, error);
    for (int attempt = 1; !failed; attempt++) {
        numapool_file_load load = {.space = space, .number = space->number};
        failed = numapool_pin_loaded(session, space->number, block, numapool_load_file, &load, page, error);
        if (!failed) {
            page->length = numapool_block_bytes(space, block);
            return 0;
        }
        if (load.rewritten) {
            failed = attempt < NUMAPOOL_CONTENT_ATTEMPTS_MAX
                ? 0
                : numapool_fail(error, NUMAPOOL_SPACE_CHANGED, "%.300s was written while block %llu was read, %d times "
                                "in a row. Read it when it is written less", space->path, (unsigned long long)block,
                                attempt);
        } else if (load.error.code != NUMAPOOL_OK) {
            failed = numapool_fail(error, load.error.code, "%s", load.error.message);
        }
    }
    return failed;
}

int numapool_read(numapool_session *session, numapool_space *space, uint64_t block, void *target, size_t bytes,
                  size_t *copied, numapool_error *error) {
    int failed = numapool_begin_read(session, space, block, error);
    if (failed) {
        return failed;
    }
    *copied = numapool_block_bytes(space, block);
    *copied = *copied < bytes ? *copied : bytes;
    if (numapool_try_read(session, space->number, block, target, *copied)) {
        return 0;
    }
    numapool_page page;
    failed = numapool_pin(session, space, block, &page, error);
    if (failed) {
        return failed;
    }
    memcpy(target, page.bytes, *copied);
    return numapool_unpin(session, &page, error);
}

#endif /* NUMAPOOL_IMPLEMENTATION */
#endif /* NUMA_BUFFER_POOL_H */
