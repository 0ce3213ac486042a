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
