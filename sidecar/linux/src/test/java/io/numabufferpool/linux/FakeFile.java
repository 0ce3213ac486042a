package io.numabufferpool.linux;

/** A descriptor of a {@link FakeLinux}; descriptors that were passed on share the open file description. Guarded by it. */
final class FakeFile implements LinuxFile {
    private final FakeLinux linux;
    private final int descriptor;
    private final String name;
    final FakeInode inode;
    final boolean writable;

    /** The open file description: the first descriptor of it, which holds its locks; itself where it is the first. */
    private final FakeFile description;

    /** Of a description: open descriptors. */
    private int openCount = 1;

    private boolean open = true;

    FakeFile(FakeLinux linux, int descriptor, String name, FakeInode inode, boolean writable) {
        this.linux = linux;
        this.descriptor = descriptor;
        this.name = name;
        this.inode = inode;
        this.writable = writable;
        this.description = this;
    }

    private FakeFile(FakeFile passed, int descriptor) {
        this.linux = passed.linux;
        this.descriptor = descriptor;
        this.name = passed.name;
        this.inode = passed.inode;
        this.writable = passed.writable;
        this.description = passed.description;
        description.openCount++;
    }

    FakeFile passedOn(int newDescriptor) {
        return new FakeFile(this, newDescriptor);
    }

    FakeFile description() {
        return description;
    }

    boolean isOpen() {
        return open;
    }

    @Override
    public int descriptor() {
        return descriptor;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void close() {
        synchronized (linux) {
            if (!open) {
                return;
            }
            open = false;
            description.openCount--;
            if (description.openCount == 0) {
                inode.locks.values().removeIf(owner -> owner == description);
                inode.sharedLocks.values().forEach(sharers -> sharers.remove(description));
            }
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
