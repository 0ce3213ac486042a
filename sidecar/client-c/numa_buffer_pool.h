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

/* ---- rendered from sidecar/layout: do not edit -------------------------------------- */

#define NUMAPOOL_MAGIC UINT64_C(0x4C4F4F50414D554E)
#define NUMAPOOL_LAYOUT_MAJOR 1
#define NUMAPOOL_LAYOUT_MINOR 0
#define NUMAPOOL_BYTE_ORDER_MARK 16909060
#define NUMAPOOL_LEDGER_ENTRY_COUNT 256
#define NUMAPOOL_BUCKET_ENTRY_COUNT 7
#define NUMAPOOL_PARTITION_SHIFT 32
#define NUMAPOOL_NUMBER_MASK UINT64_C(0xFFFFFFFFFFFF)
#define NUMAPOOL_LEDGER_PINNED UINT64_C(0x1000000000000)
#define NUMAPOOL_FREE 0
#define NUMAPOOL_CLAIMED 1
#define NUMAPOOL_LOADING 2
#define NUMAPOOL_VALID 3
#define NUMAPOOL_EVICTING 4
#define NUMAPOOL_UNMAPPING 5
#define NUMAPOOL_RETIRED 6
#define NUMAPOOL_PHASE_MASK UINT64_C(0xF)
#define NUMAPOOL_DIRTY UINT64_C(0x10)
#define NUMAPOOL_WRITING UINT64_C(0x20)
#define NUMAPOOL_TORN_FLAG UINT64_C(0x40)
#define NUMAPOOL_WAITERS UINT64_C(0x80)
#define NUMAPOOL_USAGE_MASK UINT64_C(0xE00)
#define NUMAPOOL_USAGE_ONE UINT64_C(0x200)
#define NUMAPOOL_USAGE_COUNT_MAX 5
#define NUMAPOOL_VERSION_MASK UINT64_C(0xFFFFFFFFF000)
#define NUMAPOOL_VERSION_SHIFT 12
#define NUMAPOOL_OWNER_MASK UINT64_C(0xFFFF000000000000)
#define NUMAPOOL_OWNER_SHIFT 48
#define NUMAPOOL_COUNTER_HITS 0
#define NUMAPOOL_COUNTER_MISSES 1
#define NUMAPOOL_COUNTER_EVICTIONS 2
#define NUMAPOOL_COUNTER_LOAD_FAILURES 3
#define NUMAPOOL_COUNTER_WAITS 4
#define NUMAPOOL_COUNTER_RESCUES 5
#define NUMAPOOL_COUNTER_STEALS 6
#define NUMAPOOL_COUNTER_RETRIES 7
#define NUMAPOOL_CLIENT_NUMBER_MAX 65534

typedef struct {
    uint64_t magic;
    uint32_t versionMajor;
    uint32_t versionMinor;
    uint32_t byteOrderMark;
    uint32_t headerBytes;
    uint64_t segmentGeneration;
    uint64_t createdMillis;
    uint64_t controlBytes;
    uint64_t buffersBytes;
    uint8_t reserved0[8];
    uint32_t bufferBytes;
    uint32_t pageBytes;
    uint32_t partitionCount;
    uint32_t counterGroupCount;
    uint32_t slotCount;
    uint32_t slotBytes;
    uint32_t ledgerEntryCount;
    uint32_t spaceCount;
    uint64_t bucketCount;
    uint8_t reserved1[24];
    uint64_t spacesOffset;
    uint64_t occupancyOffset;
    uint64_t counterGroupsOffset;
    uint64_t partitionDirectoryOffset;
    uint64_t slotsOffset;
    uint64_t bucketsOffset;
    uint8_t reserved2[16];
    uint32_t spaceLock;
    uint32_t nextSpace;
    uint64_t registrations;
    uint8_t reserved3[48];
    uint64_t placementEpoch;
    uint8_t reserved4[56];
    uint8_t reserved5[192];
} numapool_control_header;

typedef struct {
    uint32_t space;
    uint32_t blockBytes;
    uint64_t device;
    uint64_t inode;
    uint64_t inodeGeneration;
    uint64_t fileBytes;
    uint64_t modifiedNanos;
    uint64_t changedNanos;
    uint64_t registeredSequence;
    uint32_t access;
    uint32_t durability;
    uint64_t crashEpoch;
    uint64_t recoveredEpoch;
    uint64_t loggedPosition;
    uint32_t open;
    uint32_t recoverer;
    uint32_t orphans;
    uint8_t reserved0[20];
} numapool_space_entry;

typedef struct {
    uint64_t owner;
    uint32_t ledgerHigh;
    uint32_t numaNode;
    uint64_t epoch;
    uint64_t waitOn;
    uint8_t reserved0[32];
    uint8_t reserved1[64];
    uint64_t ledger[256];
} numapool_slot;

typedef struct {
    uint32_t lock;
    uint32_t reach;
    uint64_t entries[7];
} numapool_lookup_bucket;

typedef struct {
    uint32_t numaNode;
    uint32_t counterGroup;
    uint64_t bufferCount;
    uint64_t bufferCapacity;
    uint64_t buffersOffset;
    uint64_t descriptorsOffset;
    uint64_t spareDescriptorsOffset;
    uint64_t descriptorCount;
    uint8_t reserved0[8];
    uint64_t retiredEpoch;
    uint32_t descriptorArea;
    uint8_t reserved1[52];
    uint64_t hand;
    uint8_t reserved2[56];
    uint64_t evictions;
    uint8_t reserved3[56];
} numapool_partition_lines;

typedef struct {
    uint64_t state;
    uint64_t block;
    uint32_t space;
    uint32_t flusher;
    uint64_t logPosition;
    uint32_t dirtier;
    uint8_t reserved0[28];
} numapool_buffer_descriptor;

/* ---- end of what is rendered -------------------------------------------------------- */

#ifdef NUMAPOOL_IMPLEMENTATION
#ifndef _GNU_SOURCE
#error "numa_buffer_pool.h: define _GNU_SOURCE before the first include of this file (OFD locks, MADV_WIPEONFORK)"
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "numa_buffer_pool.h: segments are little endian"
#endif

/* The limits of the Java client, for the same reasons: who should end a wait may have died meanwhile. */
/* The marks of attach messages: "NBPA", "NBPR", "NBPC". */
#define NUMAPOOL_REQUEST_MAGIC 0x4150424Eu
#define NUMAPOOL_ANSWER_MAGIC 0x5250424Eu
#define NUMAPOOL_CLAIM_MAGIC 0x4350424Eu

#define NUMAPOOL_LOAD_WAIT_NANOS UINT64_C(60000000000)  /* storage that hangs */
#define NUMAPOOL_LOCK_WAIT_NANOS UINT64_C(10000000000)  /* a lock is held for some 20 memory accesses */
#define NUMAPOOL_VICTIM_WAIT_NANOS UINT64_C(10000000000)
#define NUMAPOOL_SLOT_WAIT_NANOS UINT64_C(5000000000)
#define NUMAPOOL_ATTACH_WAIT_NANOS UINT64_C(10000000000)
#define NUMAPOOL_LOCK_SPINS 200
#define NUMAPOOL_LOCK_PARK_NANOS UINT64_C(50000)
#define NUMAPOOL_SLEEP_SLICE_NANOS UINT64_C(50000000)   /* a wake-up can be lost with who owed it */
#define NUMAPOOL_FILE_CHECK_NANOS UINT64_C(100000000)   /* how long a rewritten file may go unnoticed on hits */
#define NUMAPOOL_CONFIRM_ROUNDS 8
#define NUMAPOOL_PROBE_MAX 16
#define NUMAPOOL_BATCH_MAX 64
#define NUMAPOOL_RESERVE_SHARE 16
#define NUMAPOOL_NODE_REFRESH 128
#define NUMAPOOL_TURNS_MAX (NUMAPOOL_USAGE_COUNT_MAX + 2)
#define NUMAPOOL_CONTENT_ATTEMPTS_MAX 16
#define NUMAPOOL_MAPPING_ALIGNMENT (UINT64_C(2) << 20)  /* or the kernel could not map huge pages as such */

typedef struct {
    numapool_partition_lines *lines;
    numapool_buffer_descriptor *descriptors;
    uint64_t buffers_offset, capacity, count;
    uint32_t group;
} numapool_partition;

struct numapool_client {
    char folder[sizeof(((struct sockaddr_un *)0)->sun_path)];
    char advice[256];
    int connection, lock_file;
    uint32_t number, attachment;       /* attachment: counts forks, so that a page of the parent is known */
    uint64_t *alive;                   /* on a page that a fork wipes: 0 in a child that is not attached yet */
    pthread_mutex_t mutex;
    int read_only;
    uint8_t *control, *buffers;
    uint64_t control_bytes, buffers_bytes, buffer_bytes, bucket_count, slot_bytes, buffer_count, known_epoch, generation;
    uint32_t partition_count, slot_count, space_count, group_count, probe_count;
    numapool_control_header *header;
    numapool_space_entry *spaces;
    uint64_t *occupancy;
    int32_t *groups;
    uint8_t *slots;
    numapool_lookup_bucket *buckets;
    numapool_partition *partitions;
    struct numapool_client *next;      /* of the clients that a fork has to look after */
};

static int numapool_fail(numapool_error *error, numapool_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int numapool_fail(numapool_error *error, numapool_code code, const char *format, ...) {
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        error->code = code;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return code;
}

static uint64_t numapool_nanos(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void numapool_park(uint64_t nanos) {
    struct timespec time = {(time_t)(nanos / 1000000000u), (long)(nanos % 1000000000u)};
    nanosleep(&time, NULL);
}

static int numapool_current_node(void) {
    unsigned cpu = 0, node = 0;
    return syscall(SYS_getcpu, &cpu, &node, NULL) == 0 ? (int)node : -1;
}

static uint64_t numapool_hash(uint32_t space, uint64_t block) {
    uint64_t h = block * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)(int64_t)(int32_t)space * UINT64_C(0xC2B2AE3D27D4EB4F);
    h = (h ^ (h >> 33)) * UINT64_C(0xFF51AFD7ED558CCD);
    h = (h ^ (h >> 33)) * UINT64_C(0xC4CEB9FE1A85EC53);
    return h ^ (h >> 33);
}

static uint64_t numapool_home(const numapool_client *client, uint64_t hash) {
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)hash * client->bucket_count) >> 64);
}

static numapool_lookup_bucket *numapool_bucket(const numapool_client *client, uint64_t home, uint32_t distance) {
    uint64_t index = home + distance;
    return client->buckets + (index < client->bucket_count ? index : index - client->bucket_count);
}

static numapool_slot *numapool_slot_at(const numapool_client *client, uint32_t slot) {
    return (numapool_slot *)(void *)(client->slots + slot * client->slot_bytes);
}

/* NULL for a number that names no buffer: nothing that was read from shared memory is an index before this. */
static numapool_buffer_descriptor *numapool_descriptor(const numapool_client *client, uint64_t number) {
    uint32_t partition = (uint32_t)(number >> NUMAPOOL_PARTITION_SHIFT) & 0xFFFF;
    uint64_t index = (number & 0xFFFFFFFF) - 1;
    if (partition >= client->partition_count || index >= client->partitions[partition].capacity) {
        return NULL;
    }
    return client->partitions[partition].descriptors + index;
}

static int numapool_corrupt_number(numapool_error *error, uint64_t number) {
    return numapool_fail(error, NUMAPOOL_CORRUPT,
                         "buffer number %llx names no buffer of this segment: the control file was overwritten; "
                         "restart the pod", (unsigned long long)number);
}

static uint8_t *numapool_bytes(const numapool_client *client, uint64_t number) {
    const numapool_partition *partition = client->partitions + ((number >> NUMAPOOL_PARTITION_SHIFT) & 0xFFFF);
    return client->buffers + partition->buffers_offset + ((number & 0xFFFFFFFF) - 1) * client->buffer_bytes;
}

/* Takes over what became of the partitions since the last look, if anything did. */
static int numapool_refresh(numapool_client *client, numapool_error *error) {
    uint64_t epoch = __atomic_load_n(&client->header->placementEpoch, __ATOMIC_ACQUIRE);
    if (epoch == __atomic_load_n(&client->known_epoch, __ATOMIC_ACQUIRE)) {
        return 0;
    }
    uint64_t total = 0;
    for (uint32_t i = 0; i < client->partition_count; i++) {
        numapool_partition *partition = client->partitions + i;
        uint64_t count = __atomic_load_n(&partition->lines->bufferCount, __ATOMIC_ACQUIRE);
        uint32_t group = __atomic_load_n(&partition->lines->counterGroup, __ATOMIC_ACQUIRE);
        if (count > partition->capacity || group >= client->group_count) {
            return numapool_fail(error, NUMAPOOL_CORRUPT,
                                 "partition %u has %llu buffers and counter group %u; it has room for %llu: the control "
                                 "file was overwritten; restart the pod", i, (unsigned long long)count, group,
                                 (unsigned long long)partition->capacity);
        }
        __atomic_store_n(&partition->count, count, __ATOMIC_RELAXED);
        __atomic_store_n(&partition->group, group, __ATOMIC_RELAXED);
        total += count;
    }
    __atomic_store_n(&client->buffer_count, total, __ATOMIC_RELAXED);
    __atomic_store_n(&client->known_epoch, epoch, __ATOMIC_RELEASE);
    return 0;
}

static int numapool_inside(uint64_t limit, uint64_t offset, uint64_t count, uint64_t bytes) {
    return count >= 1 && offset % 8 == 0 && offset <= limit && count <= (limit - offset) / bytes;
}

/* What the header says, checked, then copied: later nobody reads it again. */
static int numapool_check_header(numapool_client *client, numapool_error *error) {
    numapool_control_header *header = (numapool_control_header *)(void *)client->control;
    uint64_t magic = client->control_bytes < sizeof *header ? 0 : __atomic_load_n(&header->magic, __ATOMIC_ACQUIRE);
    if (magic != NUMAPOOL_MAGIC) {
        return numapool_fail(error, NUMAPOOL_ATTACH_FAILED,
                             "the control file (%llu bytes) begins with %llx, not with the mark of a segment: it is "
                             "not published yet or a foreign file; try again, or restart the pod",
                             (unsigned long long)client->control_bytes, (unsigned long long)magic);
    }
    if (header->versionMajor != NUMAPOOL_LAYOUT_MAJOR || header->headerBytes != sizeof *header) {
        return numapool_fail(error, NUMAPOOL_ATTACH_FAILED,
                             "the segment has layout %u.%u; this program reads %d.x: use the header of the sidecar's "
                             "release", header->versionMajor, header->versionMinor, NUMAPOOL_LAYOUT_MAJOR);
    }
    uint64_t limit = client->control_bytes;
    uint64_t buffer_bytes = header->bufferBytes;
    uint64_t stride = (sizeof(numapool_slot) + (uint64_t)header->counterGroupCount * 64 + 4095) / 4096 * 4096;
    if (header->byteOrderMark != NUMAPOOL_BYTE_ORDER_MARK || header->controlBytes != limit
        || header->buffersBytes != client->buffers_bytes || buffer_bytes < 512 || buffer_bytes > 2 << 20
        || (buffer_bytes & (buffer_bytes - 1)) != 0 || header->ledgerEntryCount != NUMAPOOL_LEDGER_ENTRY_COUNT
        || header->slotCount > 65535 || header->partitionCount > 65536 || header->spaceCount > 1 << 24
        || header->counterGroupCount > 65536 || header->slotBytes != stride
        || !numapool_inside(limit, header->spacesOffset, header->spaceCount, sizeof(numapool_space_entry))
        || !numapool_inside(limit, header->occupancyOffset, (header->slotCount + 63u) / 64, 8)
        || !numapool_inside(limit, header->counterGroupsOffset, header->counterGroupCount, 4)
        || !numapool_inside(limit, header->partitionDirectoryOffset, header->partitionCount, 8)
        || !numapool_inside(limit, header->slotsOffset, header->slotCount, stride)
        || !numapool_inside(limit, header->bucketsOffset, header->bucketCount, sizeof(numapool_lookup_bucket))) {
        return numapool_fail(error, NUMAPOOL_ATTACH_FAILED,
                             "the header of the segment does not fit its files (%llu and %llu bytes): one was truncated "
                             "or overwritten; restart the pod", (unsigned long long)limit,
                             (unsigned long long)client->buffers_bytes);
    }
    client->header = header;
    client->generation = header->segmentGeneration;
    client->buffer_bytes = buffer_bytes;
    client->partition_count = header->partitionCount;
    client->slot_count = header->slotCount;
    client->slot_bytes = stride;
    client->space_count = header->spaceCount;
    client->group_count = header->counterGroupCount;
    client->bucket_count = header->bucketCount;
    client->probe_count = client->bucket_count < NUMAPOOL_PROBE_MAX ? (uint32_t)client->bucket_count : NUMAPOOL_PROBE_MAX;
    client->spaces = (numapool_space_entry *)(void *)(client->control + header->spacesOffset);
    client->occupancy = (uint64_t *)(void *)(client->control + header->occupancyOffset);
    client->groups = (int32_t *)(void *)(client->control + header->counterGroupsOffset);
    client->slots = client->control + header->slotsOffset;
    client->buckets = (numapool_lookup_bucket *)(void *)(client->control + header->bucketsOffset);
    return 0;
}

static int numapool_check_partitions(numapool_client *client, numapool_error *error) {
    const uint64_t *directory = (const uint64_t *)(void *)(client->control + client->header->partitionDirectoryOffset);
    client->partitions = calloc(client->partition_count, sizeof *client->partitions);
    if (client->partitions == NULL) {
        return numapool_fail(error, NUMAPOOL_NO_MEMORY, "no memory for %u partitions", client->partition_count);
    }
    for (uint32_t i = 0; i < client->partition_count; i++) {
        numapool_partition *partition = client->partitions + i;
        uint64_t at = directory[i];
        int good = numapool_inside(client->control_bytes, at, 1, sizeof *partition->lines);
        if (good) {
            partition->lines = (numapool_partition_lines *)(void *)(client->control + at);
            partition->capacity = partition->lines->bufferCapacity;
            partition->buffers_offset = partition->lines->buffersOffset;
            at = partition->lines->descriptorsOffset;
            good = partition->capacity >= 1 && partition->capacity <= UINT32_MAX
                   && numapool_inside(client->control_bytes, at, partition->capacity, sizeof *partition->descriptors)
                   && numapool_inside(client->buffers_bytes, partition->buffers_offset, partition->capacity,
                                      client->buffer_bytes);
        }
        if (!good) {
            return numapool_fail(error, NUMAPOOL_ATTACH_FAILED,
                                 "partition %u does not lie inside the segment's files: the control file was "
                                 "overwritten; restart the pod", i);
        }
        partition->descriptors = (numapool_buffer_descriptor *)(void *)(client->control + at);
    }
    client->known_epoch = UINT64_MAX;
    return numapool_refresh(client, error);
}

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
