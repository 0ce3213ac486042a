
/* ---- attaching: socket, descriptors, lock byte, fork -------------------------------------------------------------- */

/* One lock word of the process in the list of its clients; taken only to attach, to detach and to fork. */
static pthread_mutex_t numapool_clients_mutex = PTHREAD_MUTEX_INITIALIZER;
static numapool_client *numapool_clients;
static pthread_once_t numapool_fork_once = PTHREAD_ONCE_INIT;

static void numapool_before_fork(void) {
    pthread_mutex_lock(&numapool_clients_mutex);
}

static void numapool_after_fork_in_parent(void) {
    pthread_mutex_unlock(&numapool_clients_mutex);
}

/* A lock belongs to the open file description: while the child has it open, a dead parent looks alive. So: at once. */
static void numapool_after_fork_in_child(void) {
    for (numapool_client *client = numapool_clients; client != NULL; client = client->next) {
        close(client->connection);
        close(client->lock_file);
        client->connection = client->lock_file = -1;
        pthread_mutex_init(&client->mutex, NULL);
    }
    pthread_mutex_init(&numapool_clients_mutex, NULL);
}

static void numapool_watch_forks(void) {
    pthread_atfork(numapool_before_fork, numapool_after_fork_in_parent, numapool_after_fork_in_child);
}

static void numapool_status_line(const char *key, const char *name, char *line, size_t size) {
    char text[256];
    FILE *status = fopen("/proc/self/status", "re");
    line[0] = 0;
    while (status != NULL && fgets(text, sizeof text, status) != NULL) {
        char *value = text + strlen(key);
        if (strncmp(text, key, strlen(key)) == 0 && strchr(value, '\n') != NULL) {
            value += strspn(value, " \t");
            value[strcspn(value, "\n")] = 0;
            snprintf(line, size, "%s=%s\n", name, value);
        }
    }
    if (status != NULL) {
        fclose(status);
    }
}

static int numapool_send(int connection, const void *message, size_t bytes, numapool_error *error) {
    ssize_t sent = send(connection, message, bytes, MSG_NOSIGNAL);
    return sent == (ssize_t)bytes
        ? 0
        : numapool_fail(error, NUMAPOOL_ATTACH_FAILED, "the sidecar took %zd of the %zu bytes of a message: %s", sent,
                        bytes, strerror(errno));
}

/* One answer: header, up to two descriptors (-1: none came), the body as text. */
static int numapool_answer(int connection, uint8_t header[64], int files[2], char *body, size_t size,
                           numapool_error *error) {
    union {
        struct cmsghdr aligned;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control;
    struct iovec part = {header, 64};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    files[0] = files[1] = -1;
    ssize_t got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    for (struct cmsghdr *c = got < 0 ? NULL : CMSG_FIRSTHDR(&message); c != NULL; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
            size_t bytes = c->cmsg_len - CMSG_LEN(0);
            memcpy(files, CMSG_DATA(c), bytes < 2 * sizeof(int) ? bytes : 2 * sizeof(int));
        }
    }
    uint32_t magic = 0, body_bytes = 0;
    if (got == 64) {
        memcpy(&magic, header, 4);
        memcpy(&body_bytes, header + 40, 4);
    }
    if (got != 64 || magic != NUMAPOOL_ANSWER_MAGIC || body_bytes > 1 << 20) {
        return numapool_fail(error, NUMAPOOL_ATTACH_FAILED,
                             "the sidecar's answer is not one (%zd bytes, mark %x): %s", got, magic,
                             got < 0 ? strerror(errno) : "use the header of the sidecar's release");
    }
    size_t kept = 0;
    for (uint32_t read = 0; read < body_bytes; read++) {
        char byte;
        if (recv(connection, &byte, 1, MSG_WAITALL) != 1) {
            return numapool_fail(error, NUMAPOOL_ATTACH_FAILED, "the sidecar's answer ended after %u of %u bytes", read,
                                 body_bytes);
        }
        if (kept + 1 < size) {
            body[kept++] = byte;
        }
    }
    body[kept] = 0;
    return 0;
}

static int numapool_connect(const char *folder, numapool_error *error) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval timeout = {5, 0}; /* per message, as on the other side */
    int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/attach.sock", folder);
    if (length < 0 || (size_t)length >= sizeof address.sun_path) {
        numapool_fail(error, NUMAPOOL_ATTACH_FAILED, "the path %s/attach.sock is longer than a socket's may be", folder);
        return -1;
    }
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) != 0
        || setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) != 0
        || connect(connection, (struct sockaddr *)&address, sizeof address) != 0) {
        numapool_fail(error, NUMAPOOL_ATTACH_FAILED,
                      "connecting to %s failed: %s. Is this container in spec.containers, and does the sidecar run?",
                      address.sun_path, strerror(errno));
        if (connection >= 0) {
            close(connection);
        }
        return -1;
    }
    return connection;
}

static int numapool_ask(int connection, uint8_t header[64], int files[2], char *body, size_t size,
                        numapool_error *error) {
    uint8_t request[64 + 1024] = {0};
    char cpus[300], mems[300], command[32] = "c";
    FILE *name = fopen("/proc/self/comm", "re");
    if (name != NULL) {
        if (fgets(command, sizeof command, name) != NULL) {
            command[strcspn(command, "\n")] = 0;
        }
        fclose(name);
    }
    for (char *c = command; *c != 0; c++) {
        *c = *c > ' ' && *c < 127 ? *c : '?';
    }
    numapool_status_line("Cpus_allowed_list:", "cpus", cpus, sizeof cpus);
    numapool_status_line("Mems_allowed_list:", "mems", mems, sizeof mems);
    uint32_t body_bytes = (uint32_t)snprintf((char *)request + 64, sizeof request - 64, "%s%sname=%s %ld\n", cpus, mems,
                                             command, (long)getpid());
    uint32_t magic = NUMAPOOL_REQUEST_MAGIC;
    uint16_t words[6] = {1, 0, 1, NUMAPOOL_LAYOUT_MAJOR, NUMAPOOL_LAYOUT_MINOR, 0};
    memcpy(request, &magic, 4);
    memcpy(request + 4, words, sizeof words);
    memcpy(request + 16, &body_bytes, 4);
    int failed = numapool_send(connection, request, 64 + body_bytes, error);
    return failed ? failed : numapool_answer(connection, header, files, body, size, error);
}

static uint8_t *numapool_map(int file, uint64_t announced, int protection, const char *what, numapool_error *error) {
    struct stat status;
    struct statfs system;
    if (fstat(file, &status) != 0 || fstatfs(file, &system) != 0 || (uint64_t)status.st_size != announced
        || announced == 0) {
        numapool_fail(error, NUMAPOOL_ATTACH_FAILED,
                      "the sidecar announced %llu bytes of %s and passed another file; restart the pod",
                      (unsigned long long)announced, what);
        return NULL;
    }
    uint64_t align = (uint64_t)system.f_bsize > NUMAPOOL_MAPPING_ALIGNMENT ? (uint64_t)system.f_bsize
                                                                           : NUMAPOOL_MAPPING_ALIGNMENT;
    uint8_t *room = mmap(NULL, announced + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room != MAP_FAILED) {
        uint8_t *begin = (uint8_t *)(((uintptr_t)room + align - 1) & ~(uintptr_t)(align - 1));
        uint8_t *end = (uint8_t *)(((uintptr_t)begin + announced + 4095) & ~(uintptr_t)4095);
        if (mmap(begin, announced, protection, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0) != MAP_FAILED) {
            if (begin > room) {
                munmap(room, (size_t)(begin - room));
            }
            uint8_t *room_end = (uint8_t *)(((uintptr_t)room + announced + align + 4095) & ~(uintptr_t)4095);
            if (system.f_bsize <= 4096 && room_end > end) {
                munmap(end, (size_t)(room_end - end));
            }
            return begin;
        }
        munmap(room, announced + align);
    }
    numapool_fail(error, NUMAPOOL_ATTACH_FAILED, "mmap of %llu bytes of %s failed: %s", (unsigned long long)announced,
                  what, strerror(errno));
    return NULL;
}

static int numapool_lock_byte(int file, uint32_t number, short type) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = number, .l_len = 1};
    return fcntl(file, F_OFD_SETLK, &lock);
}

/* True if a dead process' slots under that number wait for the reaper. */
static int numapool_owes_slots(const numapool_client *client, uint32_t number) {
    for (uint32_t slot = 0; slot < client->slot_count; slot++) {
        if ((uint32_t)__atomic_load_n(&numapool_slot_at(client, slot)->owner, __ATOMIC_ACQUIRE) == number) {
            return 1;
        }
    }
    return 0;
}

/* Takes a free byte of a description of its own, and tells the sidecar which. */
static int numapool_claim(numapool_client *client, numapool_error *error) {
    char path[PATH_MAX], body[512];
    snprintf(path, sizeof path, "%s/clients.lock", client->folder);
    client->lock_file = open(path, O_RDWR | O_CLOEXEC);
    if (client->lock_file < 0) {
        return numapool_fail(error, NUMAPOOL_ATTACH_FAILED, "opening %s failed: %s", path, strerror(errno));
    }
    uint32_t number = 1;
    for (; number <= NUMAPOOL_CLIENT_NUMBER_MAX; number++) {
        if (numapool_lock_byte(client->lock_file, number, F_WRLCK) == 0) {
            if (!numapool_owes_slots(client, number)) {
                break;
            }
            numapool_lock_byte(client->lock_file, number, F_UNLCK);
        } else if (errno != EAGAIN && errno != EACCES) {
            return numapool_fail(error, NUMAPOOL_ATTACH_FAILED, "locking byte %u of %s failed: %s", number, path,
                                 strerror(errno));
        }
    }
    if (number > NUMAPOOL_CLIENT_NUMBER_MAX) {
        return numapool_fail(error, NUMAPOOL_ATTACH_FAILED, "all %d client numbers of %s are taken",
                             NUMAPOOL_CLIENT_NUMBER_MAX, client->folder);
    }
    client->number = number;
    uint32_t claim[4] = {NUMAPOOL_CLAIM_MAGIC, number, 0, 0};
    uint8_t header[64];
    int files[2], failed = numapool_send(client->connection, claim, sizeof claim, error);
    if (failed || (failed = numapool_answer(client->connection, header, files, body, sizeof body, error)) != 0) {
        return failed;
    }
    return header[8] == 0 ? 0 : numapool_fail(error, NUMAPOOL_ATTACH_FAILED, "the sidecar refused: %.400s", body);
}

static void numapool_drop_connection(numapool_client *client) {
    if (client->connection >= 0) {
        close(client->connection);
    }
    if (client->lock_file >= 0) {
        close(client->lock_file);
    }
    client->connection = client->lock_file = -1;
}

/* One attempt; *again: the sidecar is not ready yet. Maps the segment the first time; a child keeps its mappings. */
static int numapool_attach_once(numapool_client *client, int *again, numapool_error *error) {
    uint8_t header[64];
    char body[512];
    int files[2] = {-1, -1};
    *again = (client->connection = numapool_connect(client->folder, error)) < 0;
    int failed = *again ? NUMAPOOL_ATTACH_FAILED
                        : numapool_ask(client->connection, header, files, body, sizeof body, error);
    if (!failed && header[8] != 0) {
        *again = header[8] == 2;
        failed = numapool_fail(error, NUMAPOOL_ATTACH_FAILED, "the sidecar at %s refused: %.350s", client->folder, body);
    }
    if (!failed) {
        uint64_t generation;
        memcpy(&generation, header + 16, 8);
        if (client->control != NULL && generation != client->generation) {
            failed = numapool_fail(error, NUMAPOOL_ATTACH_FAILED,
                                   "the sidecar at %s serves another segment than the parent's: attach anew",
                                   client->folder);
        } else if (client->control == NULL) {
            memcpy(&client->control_bytes, header + 24, 8);
            memcpy(&client->buffers_bytes, header + 32, 8);
            client->read_only = header[10] == 1;
            char *advice = strstr(body, "bindCpus=");
            snprintf(client->advice, sizeof client->advice, "%.*s",
                     advice == NULL ? 0 : (int)strcspn(advice + 9, "\n"), advice == NULL ? "" : advice + 9);
            client->control = numapool_map(files[0], client->control_bytes, PROT_READ | PROT_WRITE, "control", error);
            client->buffers = client->control == NULL ? NULL
                : numapool_map(files[1], client->buffers_bytes, client->read_only ? PROT_READ : PROT_READ | PROT_WRITE,
                               "buffers", error);
            failed = client->buffers == NULL ? NUMAPOOL_ATTACH_FAILED : numapool_check_header(client, error);
            failed = failed ? failed : numapool_check_partitions(client, error);
        }
    }
    for (int i = 0; i < 2; i++) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
    failed = failed ? failed : numapool_claim(client, error);
    if (failed) {
        numapool_drop_connection(client);
    } else {
        *client->alive = 1;
        client->attachment++;
    }
    return failed;
}

static int numapool_attach_within(numapool_client *client, uint64_t nanos, numapool_error *error) {
    uint64_t deadline = numapool_nanos(CLOCK_MONOTONIC) + nanos;
    int again, failed;
    while ((failed = numapool_attach_once(client, &again, error)) != 0 && again
           && numapool_nanos(CLOCK_MONOTONIC) < deadline) {
        numapool_park(20000000);
    }
    return failed;
}

/* In a forked child, once: a lock byte and a number of its own. Costs others one load of a private line. */
static int numapool_own(numapool_client *client, numapool_error *error) {
    if (__builtin_expect(__atomic_load_n(client->alive, __ATOMIC_ACQUIRE) != 0, 1)) {
        return 0;
    }
    pthread_mutex_lock(&client->mutex);
    int failed = 0;
    if (*client->alive == 0) {
        numapool_drop_connection(client);
        failed = numapool_attach_within(client, NUMAPOOL_ATTACH_WAIT_NANOS, error);
    }
    pthread_mutex_unlock(&client->mutex);
    return failed;
}

static void numapool_free_client(numapool_client *client) {
    numapool_drop_connection(client);
    if (client->control != NULL) {
        munmap(client->control, client->control_bytes);
    }
    if (client->buffers != NULL) {
        munmap(client->buffers, client->buffers_bytes);
    }
    if (client->alive != NULL) {
        munmap(client->alive, 4096);
    }
    free(client->partitions);
    pthread_mutex_destroy(&client->mutex);
    free(client);
}

numapool_client *numapool_attach(const char *folder, numapool_error *error) {
    numapool_client *client = calloc(1, sizeof *client);
    if (client == NULL) {
        numapool_fail(error, NUMAPOOL_NO_MEMORY, "no memory for a client");
        return NULL;
    }
    folder = folder != NULL ? folder : getenv("NUMAPOOL_ATTACH");
    client->connection = client->lock_file = -1;
    pthread_mutex_init(&client->mutex, NULL);
    client->alive = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int failed = 0;
    if (client->alive == MAP_FAILED || madvise(client->alive, 4096, MADV_WIPEONFORK) != 0) {
        client->alive = client->alive == MAP_FAILED ? NULL : client->alive;
        failed = numapool_fail(error, NUMAPOOL_ATTACH_FAILED, "a page that a fork wipes (MADV_WIPEONFORK, Linux 4.14 or "
                               "later): %s", strerror(errno));
    } else if (folder == NULL || strlen(folder) >= sizeof client->folder - 16) {
        failed = numapool_fail(error, NUMAPOOL_ATTACH_FAILED, "the attach folder is %s: set NUMAPOOL_ATTACH, or give a "
                               "path that fits a socket's", folder == NULL ? "not given" : folder);
    } else {
        snprintf(client->folder, sizeof client->folder, "%s", folder);
        pthread_once(&numapool_fork_once, numapool_watch_forks);
        failed = numapool_attach_within(client, NUMAPOOL_ATTACH_WAIT_NANOS, error);
    }
    if (failed) {
        numapool_free_client(client);
        return NULL;
    }
    pthread_mutex_lock(&numapool_clients_mutex);
    client->next = numapool_clients;
    numapool_clients = client;
    pthread_mutex_unlock(&numapool_clients_mutex);
    return client;
}

void numapool_detach(numapool_client *client) {
    if (client == NULL) {
        return;
    }
    pthread_mutex_lock(&numapool_clients_mutex);
    for (numapool_client **at = &numapool_clients; *at != NULL; at = &(*at)->next) {
        if (*at == client) {
            *at = client->next;
            break;
        }
    }
    pthread_mutex_unlock(&numapool_clients_mutex);
    numapool_free_client(client);
}

size_t numapool_buffer_bytes(const numapool_client *client) {
    return client->buffer_bytes;
}

uint32_t numapool_client_number(const numapool_client *client) {
    return client->number;
}

const char *numapool_advised_cpus(const numapool_client *client) {
    return client->advice;
}
