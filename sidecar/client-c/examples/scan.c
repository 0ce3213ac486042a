/*
 * Reads a file through the buffer pool of this pod, once in order and once at random, and says how often the pool had it.
 *
 *   cc -O2 -I.. -o scan scan.c && ./scan FILE        (NUMAPOOL_ATTACH says where attach.sock lies)
 */
#define _GNU_SOURCE
#define NUMAPOOL_IMPLEMENTATION
#include "numa_buffer_pool.h"

static int fail(const numapool_error *error) {
    fprintf(stderr, "scan: %s\n", error->message);
    return 1;
}

int main(int count, char **arguments) {
    numapool_error error = {0};
    if (count != 2) {
        fprintf(stderr, "usage: scan FILE\n");
        return 2;
    }
    numapool_client *client = numapool_attach(NULL, &error);
    numapool_space *space = client == NULL ? NULL : numapool_open_file(client, arguments[1], &error);
    numapool_session *session = space == NULL ? NULL : numapool_open_session(client, &error);
    if (session == NULL) {
        return fail(&error);
    }

    uint64_t blocks = numapool_block_count(space), sum = 0, loaded = 0, bytes = 0;
    for (uint64_t block = 0; block < blocks; block++) {
        numapool_page page;
        if (numapool_pin(session, space, block, &page, &error)) {
            return fail(&error);
        }
        for (size_t i = 0; i < page.length; i++) {
            sum += ((const unsigned char *)page.bytes)[i];
        }
        bytes += page.length;
        loaded += (uint64_t)page.loaded;
        numapool_unpin(session, &page, &error);
    }

    uint64_t random = 1, read = 0;
    for (uint64_t i = 0; i < blocks; i++) {
        char first[64];
        size_t copied;
        random = random * UINT64_C(6364136223846793005) + 1;
        if (numapool_read(session, space, (random >> 33) % blocks, first, sizeof first, &copied, &error)) {
            return fail(&error);
        }
        read += copied > 0;
    }
    printf("client %u read %llu bytes in %llu blocks, sum %llu; %llu were read from the file, %llu were in the pool; "
           "%llu more at random\n", numapool_client_number(client), (unsigned long long)bytes,
           (unsigned long long)blocks, (unsigned long long)sum, (unsigned long long)loaded,
           (unsigned long long)(blocks - loaded), (unsigned long long)read);
    int failed = numapool_close_session(session, &error);
    numapool_close_file(space);
    numapool_detach(client);
    return failed ? fail(&error) : 0;
}
