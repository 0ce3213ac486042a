/*
 * numa_buffer_pool.h: a C11 program's way to the buffer pool of its pod. One header, no dependency but libc.
 *
 * In one source file, before every include:      #define _GNU_SOURCE
 *                                                 #define NUMAPOOL_IMPLEMENTATION
 *                                                 #include "numa_buffer_pool.h"
 * Everywhere else include it without NUMAPOOL_IMPLEMENTATION.
 *
 * A hit takes no lock and writes to no line that another process writes (but the usageCount below its maximum). Threads:
 * a client may be used by all threads; a session, its pages and a space belong to one thread at a time. Open as many
 * sessions and spaces as there are threads: spaces of the same file have the same number and share their pages.
 *
 * fork: a child may go on with client, spaces and sessions. It is given a lock byte, a client number and slots of its
 * own at its first call; what its parent had pinned stays the parent's, and the child must not touch those pages.
 * A child made by clone(2) without fork()'s handlers keeps the parent's lock byte until its own first call.
 *
 * Functions return 0 (or a pointer) on success, else a numapool_code (or NULL) with a sentence in the numapool_error.
 */
#ifndef NUMA_BUFFER_POOL_H
#define NUMA_BUFFER_POOL_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    NUMAPOOL_OK = 0,
    NUMAPOOL_ATTACH_FAILED,   /* no sidecar, or it refused: the sentence says why */
    NUMAPOOL_IO,              /* the file could not be opened or read */
    NUMAPOOL_SPACE_CHANGED,   /* the file was replaced, or has another length: open it again */
    NUMAPOOL_NO_FREE_SLOT,    /* spec.slots.max sessions are open */
    NUMAPOOL_NO_VICTIM,       /* every buffer is pinned */
    NUMAPOOL_STUCK,           /* another process holds a lock or a load for too long */
    NUMAPOOL_TABLE_FULL,      /* no place near the block's bucket of the lookup table: read it without the pool */
    NUMAPOOL_TORN,            /* a process died while it wrote the page */
    NUMAPOOL_CORRUPT,         /* shared memory was overwritten, or this process was taken for dead */
    NUMAPOOL_MISUSE,          /* an argument that cannot be; a page unpinned twice; a page of the parent */
    NUMAPOOL_NO_MEMORY
} numapool_code;

typedef struct {
    numapool_code code;
    char message[480];
} numapool_error;

typedef struct numapool_client numapool_client;
typedef struct numapool_session numapool_session;
typedef struct numapool_space numapool_space;

/* A pinned page. The bytes stay where they are and as they are until it is unpinned. */
typedef struct {
    const void *bytes;
    size_t length;      /* bytes of the block: less than a buffer only at the end of a file */
    int loaded;         /* 1: this call read it; 0: it was in the pool */
    uint64_t handle;    /* the session's business */
    uint64_t lease;
} numapool_page;

/*
 * Fills target (bytes long) with the block; 0, or any other number for a failure. It may pin other pages of the session,
 * not the same block.
 */
typedef int (*numapool_loader)(void *context, uint64_t block, void *target, size_t bytes);

/* folder: where attach.sock lies; NULL: what NUMAPOOL_ATTACH says. Waits up to 10 s for a sidecar that is starting. */
numapool_client *numapool_attach(const char *folder, numapool_error *error);
/* Close sessions and spaces first. */
void numapool_detach(numapool_client *client);
size_t numapool_buffer_bytes(const numapool_client *client);
uint32_t numapool_client_number(const numapool_client *client);
/* The CPUs that spec.placement.bindCpus advises, such as "0-3"; "": none. Binding is left to the program. */
const char *numapool_advised_cpus(const numapool_client *client);

/* A regular file, opened for reading. A rewritten file gets a new number by itself: looked at 10 times a second, and at
 * each miss. */
numapool_space *numapool_open_file(numapool_client *client, const char *path, numapool_error *error);
uint64_t numapool_block_count(const numapool_space *space);
void numapool_close_file(numapool_space *space);

/* One session, one slot. */
numapool_session *numapool_open_session(numapool_client *client, numapool_error *error);
/* Says NUMAPOOL_MISUSE if pages were still pinned; the slot is given back all the same. */
int numapool_close_session(numapool_session *session, numapool_error *error);

/* Pins a block of a file, reading it if nobody has it in the pool. */
int numapool_pin(numapool_session *session, numapool_space *space, uint64_t block, numapool_page *page,
                 numapool_error *error);
/* The same for a space of the program's own (from numapool_register) whose blocks a callback reads. */
int numapool_pin_loaded(numapool_session *session, uint32_t space, uint64_t block, numapool_loader loader,
                        void *context, numapool_page *page, numapool_error *error);
int numapool_unpin(numapool_session *session, numapool_page *page, numapool_error *error);
/* Copies a block's first bytes (at most `bytes`) without pinning it where that is possible; *copied: how many. */
int numapool_read(numapool_session *session, numapool_space *space, uint64_t block, void *target, size_t bytes,
                  size_t *copied, numapool_error *error);

/* What makes content the same content, in every process; see stat(2) for what a file's is made of. */
typedef struct {
    uint64_t device, inode, inode_generation, file_bytes, modified_nanos, changed_nanos;
} numapool_identity;

/* The number of the space with that identity, a new one if it has none; 0: failed. */
uint32_t numapool_register(numapool_client *client, const numapool_identity *identity, numapool_error *error);

