/* Rendered from sidecar/layout: do not edit. */
#include "numa_buffer_pool.h"
#include <assert.h>

static_assert(offsetof(numapool_control_header, magic) == 0, "numapool_control_header.magic");
static_assert(offsetof(numapool_control_header, versionMajor) == 8, "numapool_control_header.versionMajor");
static_assert(offsetof(numapool_control_header, versionMinor) == 12, "numapool_control_header.versionMinor");
static_assert(offsetof(numapool_control_header, byteOrderMark) == 16, "numapool_control_header.byteOrderMark");
static_assert(offsetof(numapool_control_header, headerBytes) == 20, "numapool_control_header.headerBytes");
static_assert(offsetof(numapool_control_header, segmentGeneration) == 24, "numapool_control_header.segmentGeneration");
static_assert(offsetof(numapool_control_header, createdMillis) == 32, "numapool_control_header.createdMillis");
static_assert(offsetof(numapool_control_header, controlBytes) == 40, "numapool_control_header.controlBytes");
static_assert(offsetof(numapool_control_header, buffersBytes) == 48, "numapool_control_header.buffersBytes");
static_assert(offsetof(numapool_control_header, reserved0) == 56, "numapool_control_header.reserved0");
static_assert(offsetof(numapool_control_header, bufferBytes) == 64, "numapool_control_header.bufferBytes");
static_assert(offsetof(numapool_control_header, pageBytes) == 68, "numapool_control_header.pageBytes");
static_assert(offsetof(numapool_control_header, partitionCount) == 72, "numapool_control_header.partitionCount");
static_assert(offsetof(numapool_control_header, counterGroupCount) == 76, "numapool_control_header.counterGroupCount");
static_assert(offsetof(numapool_control_header, slotCount) == 80, "numapool_control_header.slotCount");
static_assert(offsetof(numapool_control_header, slotBytes) == 84, "numapool_control_header.slotBytes");
static_assert(offsetof(numapool_control_header, ledgerEntryCount) == 88, "numapool_control_header.ledgerEntryCount");
static_assert(offsetof(numapool_control_header, spaceCount) == 92, "numapool_control_header.spaceCount");
static_assert(offsetof(numapool_control_header, bucketCount) == 96, "numapool_control_header.bucketCount");
static_assert(offsetof(numapool_control_header, reserved1) == 104, "numapool_control_header.reserved1");
static_assert(offsetof(numapool_control_header, spacesOffset) == 128, "numapool_control_header.spacesOffset");
static_assert(offsetof(numapool_control_header, occupancyOffset) == 136, "numapool_control_header.occupancyOffset");
static_assert(offsetof(numapool_control_header, counterGroupsOffset) == 144, "numapool_control_header.counterGroupsOffset");
static_assert(offsetof(numapool_control_header, partitionDirectoryOffset) == 152, "numapool_control_header.partitionDirectoryOffset");
static_assert(offsetof(numapool_control_header, slotsOffset) == 160, "numapool_control_header.slotsOffset");
static_assert(offsetof(numapool_control_header, bucketsOffset) == 168, "numapool_control_header.bucketsOffset");
static_assert(offsetof(numapool_control_header, reserved2) == 176, "numapool_control_header.reserved2");
static_assert(offsetof(numapool_control_header, spaceLock) == 192, "numapool_control_header.spaceLock");
static_assert(offsetof(numapool_control_header, nextSpace) == 196, "numapool_control_header.nextSpace");
static_assert(offsetof(numapool_control_header, registrations) == 200, "numapool_control_header.registrations");
static_assert(offsetof(numapool_control_header, reserved3) == 208, "numapool_control_header.reserved3");
static_assert(offsetof(numapool_control_header, placementEpoch) == 256, "numapool_control_header.placementEpoch");
static_assert(offsetof(numapool_control_header, reserved4) == 264, "numapool_control_header.reserved4");
static_assert(offsetof(numapool_control_header, reserved5) == 320, "numapool_control_header.reserved5");
static_assert(sizeof(numapool_control_header) == 512, "numapool_control_header");

static_assert(offsetof(numapool_space_entry, space) == 0, "numapool_space_entry.space");
static_assert(offsetof(numapool_space_entry, blockBytes) == 4, "numapool_space_entry.blockBytes");
static_assert(offsetof(numapool_space_entry, device) == 8, "numapool_space_entry.device");
static_assert(offsetof(numapool_space_entry, inode) == 16, "numapool_space_entry.inode");
static_assert(offsetof(numapool_space_entry, inodeGeneration) == 24, "numapool_space_entry.inodeGeneration");
static_assert(offsetof(numapool_space_entry, fileBytes) == 32, "numapool_space_entry.fileBytes");
static_assert(offsetof(numapool_space_entry, modifiedNanos) == 40, "numapool_space_entry.modifiedNanos");
static_assert(offsetof(numapool_space_entry, changedNanos) == 48, "numapool_space_entry.changedNanos");
static_assert(offsetof(numapool_space_entry, registeredSequence) == 56, "numapool_space_entry.registeredSequence");
static_assert(offsetof(numapool_space_entry, access) == 64, "numapool_space_entry.access");
static_assert(offsetof(numapool_space_entry, durability) == 68, "numapool_space_entry.durability");
static_assert(offsetof(numapool_space_entry, crashEpoch) == 72, "numapool_space_entry.crashEpoch");
static_assert(offsetof(numapool_space_entry, recoveredEpoch) == 80, "numapool_space_entry.recoveredEpoch");
static_assert(offsetof(numapool_space_entry, loggedPosition) == 88, "numapool_space_entry.loggedPosition");
static_assert(offsetof(numapool_space_entry, open) == 96, "numapool_space_entry.open");
static_assert(offsetof(numapool_space_entry, recoverer) == 100, "numapool_space_entry.recoverer");
static_assert(offsetof(numapool_space_entry, orphans) == 104, "numapool_space_entry.orphans");
static_assert(offsetof(numapool_space_entry, reserved0) == 108, "numapool_space_entry.reserved0");
static_assert(sizeof(numapool_space_entry) == 128, "numapool_space_entry");

static_assert(offsetof(numapool_slot, owner) == 0, "numapool_slot.owner");
static_assert(offsetof(numapool_slot, ledgerHigh) == 8, "numapool_slot.ledgerHigh");
static_assert(offsetof(numapool_slot, numaNode) == 12, "numapool_slot.numaNode");
static_assert(offsetof(numapool_slot, epoch) == 16, "numapool_slot.epoch");
static_assert(offsetof(numapool_slot, waitOn) == 24, "numapool_slot.waitOn");
static_assert(offsetof(numapool_slot, reserved0) == 32, "numapool_slot.reserved0");
static_assert(offsetof(numapool_slot, reserved1) == 64, "numapool_slot.reserved1");
static_assert(offsetof(numapool_slot, ledger) == 128, "numapool_slot.ledger");
static_assert(sizeof(numapool_slot) == 2176, "numapool_slot");

static_assert(offsetof(numapool_lookup_bucket, lock) == 0, "numapool_lookup_bucket.lock");
static_assert(offsetof(numapool_lookup_bucket, reach) == 4, "numapool_lookup_bucket.reach");
static_assert(offsetof(numapool_lookup_bucket, entries) == 8, "numapool_lookup_bucket.entries");
static_assert(sizeof(numapool_lookup_bucket) == 64, "numapool_lookup_bucket");

static_assert(offsetof(numapool_partition_lines, numaNode) == 0, "numapool_partition_lines.numaNode");
static_assert(offsetof(numapool_partition_lines, counterGroup) == 4, "numapool_partition_lines.counterGroup");
static_assert(offsetof(numapool_partition_lines, bufferCount) == 8, "numapool_partition_lines.bufferCount");
static_assert(offsetof(numapool_partition_lines, bufferCapacity) == 16, "numapool_partition_lines.bufferCapacity");
static_assert(offsetof(numapool_partition_lines, buffersOffset) == 24, "numapool_partition_lines.buffersOffset");
static_assert(offsetof(numapool_partition_lines, descriptorsOffset) == 32, "numapool_partition_lines.descriptorsOffset");
static_assert(offsetof(numapool_partition_lines, spareDescriptorsOffset) == 40, "numapool_partition_lines.spareDescriptorsOffset");
static_assert(offsetof(numapool_partition_lines, descriptorCount) == 48, "numapool_partition_lines.descriptorCount");
static_assert(offsetof(numapool_partition_lines, reserved0) == 56, "numapool_partition_lines.reserved0");
static_assert(offsetof(numapool_partition_lines, retiredEpoch) == 64, "numapool_partition_lines.retiredEpoch");
static_assert(offsetof(numapool_partition_lines, descriptorArea) == 72, "numapool_partition_lines.descriptorArea");
static_assert(offsetof(numapool_partition_lines, reserved1) == 76, "numapool_partition_lines.reserved1");
static_assert(offsetof(numapool_partition_lines, hand) == 128, "numapool_partition_lines.hand");
static_assert(offsetof(numapool_partition_lines, reserved2) == 136, "numapool_partition_lines.reserved2");
static_assert(offsetof(numapool_partition_lines, evictions) == 192, "numapool_partition_lines.evictions");
static_assert(offsetof(numapool_partition_lines, reserved3) == 200, "numapool_partition_lines.reserved3");
static_assert(sizeof(numapool_partition_lines) == 256, "numapool_partition_lines");

static_assert(offsetof(numapool_buffer_descriptor, state) == 0, "numapool_buffer_descriptor.state");
static_assert(offsetof(numapool_buffer_descriptor, block) == 8, "numapool_buffer_descriptor.block");
static_assert(offsetof(numapool_buffer_descriptor, space) == 16, "numapool_buffer_descriptor.space");
static_assert(offsetof(numapool_buffer_descriptor, flusher) == 20, "numapool_buffer_descriptor.flusher");
static_assert(offsetof(numapool_buffer_descriptor, logPosition) == 24, "numapool_buffer_descriptor.logPosition");
static_assert(offsetof(numapool_buffer_descriptor, dirtier) == 32, "numapool_buffer_descriptor.dirtier");
static_assert(offsetof(numapool_buffer_descriptor, reserved0) == 36, "numapool_buffer_descriptor.reserved0");
static_assert(sizeof(numapool_buffer_descriptor) == 64, "numapool_buffer_descriptor");

int main(void) {
    return 0;
}
