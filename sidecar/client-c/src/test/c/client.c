/*
 * A client in C for the tests. Arguments: attach folder, file, what to do. Every word of the file says where it is.
 */
#define _GNU_SOURCE
#define NUMAPOOL_IMPLEMENTATION
#include "numa_buffer_pool.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

static numapool_error error;

static void fail(void) {
    printf("failed %d %s\n", (int)error.code, error.message);
    fflush(stdout);
    _exit(1);
}

static int holds(const void *bytes, size_t length, uint64_t offset) {
    for (size_t at = 0; at + 8 <= length; at += 8) {
        uint64_t word;
        memcpy(&word, (const char *)bytes + at, 8);
        if (__builtin_bswap64(word) != (((offset + at + 1) * UINT64_C(0x9E3779B97F4A7C15)) ^ 1)) {
            return 0;
        }
    }
    return 1;
}

static int told(void) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    return poll(&input, 1, 0) > 0;
}

static void await_line(void) {
    char line[16];
    if (fgets(line, sizeof line, stdin) == NULL) {
        _exit(3);
    }
}

static void once(numapool_client *client, numapool_space *space, numapool_session *session) {
    uint64_t blocks = numapool_block_count(space), wrong = 0, misses = 0;
    for (uint64_t block = 0; block < blocks; block++) {
        numapool_page page;
        if (numapool_pin(session, space, block, &page, &error)) {
            fail();
        }
        wrong += !holds(page.bytes, page.length, block * numapool_buffer_bytes(client));
        misses += (uint64_t)page.loaded;
        if (numapool_unpin(session, &page, &error)) {
            fail();
        }
    }
    printf("read %llu wrong %llu misses %llu\n", (unsigned long long)blocks, (unsigned long long)wrong,
           (unsigned long long)misses);
}

/* Pins and optimistic reads by turns, at random, until a line comes. */
static void loop(numapool_client *client, numapool_space *space, numapool_session *session) {
    uint64_t random = numapool_client_number(client), read = 0, wrong = 0, blocks = numapool_block_count(space);
    size_t bytes = numapool_buffer_bytes(client), copied;
    char *target = malloc(bytes);
    printf("looping %u\n", numapool_client_number(client));
    fflush(stdout);
    for (; !told(); read++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint64_t block = (random >> 33) % blocks;
        numapool_page page;
        if (read % 2 == 0) {
            if (numapool_pin(session, space, block, &page, &error)) {
                fail();
            }
            wrong += !holds(page.bytes, page.length, block * bytes);
            numapool_unpin(session, &page, &error);
        } else {
            if (numapool_read(session, space, block, target, bytes, &copied, &error)) {
                fail();
            }
            wrong += !holds(target, copied, block * bytes);
        }
    }
    free(target);
    printf("read %llu wrong %llu\n", (unsigned long long)read, (unsigned long long)wrong);
}

static void pin_some(numapool_space *space, numapool_session *session, numapool_page *pages, int count) {
    for (int block = 0; block < count; block++) {
        if (numapool_pin(session, space, (uint64_t)block, pages + block, &error)) {
            fail();
        }
    }
}

/* More pins than one ledger has entries. */
static void hold(numapool_client *client, numapool_space *space, numapool_session *session, int count) {
    numapool_page *pages = calloc((size_t)count, sizeof *pages);
    pin_some(space, session, pages, count);
    printf("holding %u\n", numapool_client_number(client));
    fflush(stdout);
    await_line();
    int wrong = 0;
    for (int block = 0; block < count; block++) {
        wrong += !holds(pages[block].bytes, pages[block].length, (uint64_t)block * numapool_buffer_bytes(client));
        wrong += numapool_unpin(session, pages + block, &error) != 0;
    }
    free(pages);
    printf("released wrong %d\n", wrong);
}

/* Parent and child pin 2 pages each; who is not told to die says whether its pages are right. */
static void forked(numapool_client *client, numapool_space *space, numapool_session *session) {
    numapool_page pages[2], inherited;
    pin_some(space, session, pages, 2);
    uint32_t parents = numapool_client_number(client);
    inherited = pages[0];
    pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_IGN);
        numapool_code refused = (numapool_code)numapool_unpin(session, &inherited, &error);
        pin_some(space, session, pages, 2);
        printf("child %d number %u parent %u refused %d\n", (int)getpid(), numapool_client_number(client), parents,
               refused == NUMAPOOL_MISUSE);
    } else {
        printf("parent %d child %d\n", (int)getpid(), (int)child);
    }
    fflush(stdout);
    for (int round = 0; round < 600; round++) {
        struct timespec tick = {0, 100000000};
        int wrong = 0;
        for (uint64_t block = 0; block < numapool_block_count(space); block++) {
            numapool_page page;
            if (numapool_pin(session, space, block, &page, &error)) {
                fail();
            }
            wrong += !holds(page.bytes, page.length, block * numapool_buffer_bytes(client));
            numapool_unpin(session, &page, &error);
        }
        printf("%s wrong %d\n", child == 0 ? "offspring" : "elder", wrong);
        fflush(stdout);
        nanosleep(&tick, NULL);
    }
}

static int number_loader(void *context, uint64_t block, void *target, size_t bytes) {
    if (block == 7) {
        return -1;
    }
    ++*(int *)context;
    memset(target, (int)block, bytes);
    return 0;
}

/* A space whose blocks a callback makes: loaded once, found once, a failure leaves nothing behind. */
static void callback(numapool_client *client, numapool_session *session) {
    numapool_identity identity = {1, 2, 3, 4, 5, 6};
    uint32_t space = numapool_register(client, &identity, &error);
    int loads = 0, good = 0, failures = 0;
    for (int round = 0; round < 2; round++) {
        numapool_page page;
        if (numapool_pin_loaded(session, space, 3, number_loader, &loads, &page, &error)) {
            fail();
        }
        good += ((const char *)page.bytes)[page.length - 1] == 3;
        numapool_unpin(session, &page, &error);
        good += numapool_unpin(session, &page, &error) == NUMAPOOL_MISUSE;
        failures += numapool_pin_loaded(session, space, 7, number_loader, &loads, &page, &error) == NUMAPOOL_IO;
    }
    printf("callback loads %d good %d failures %d\n", loads, good, failures);
}

int main(int count, char **arguments) {
    if (count != 4) {
        return 2;
    }
    numapool_client *client = numapool_attach(arguments[1], &error);
    numapool_space *space = client == NULL ? NULL : numapool_open_file(client, arguments[2], &error);
    numapool_session *session = space == NULL ? NULL : numapool_open_session(client, &error);
    const char *what = arguments[3];
    if (session == NULL) {
        fail();
    } else if (strcmp(what, "once") == 0) {
        once(client, space, session);
    } else if (strcmp(what, "loop") == 0) {
        loop(client, space, session);
    } else if (strcmp(what, "hold") == 0) {
        hold(client, space, session, 5);
    } else if (strcmp(what, "holdmany") == 0) {
        hold(client, space, session, 300);
    } else if (strcmp(what, "fork") == 0) {
        forked(client, space, session);
    } else if (strcmp(what, "callback") == 0) {
        callback(client, session);
    }
    if (numapool_close_session(session, &error)) {
        fail();
    }
    numapool_close_file(space);
    numapool_detach(client);
    return 0;
}
