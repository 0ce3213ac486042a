package io.numabufferpool.pool;

import java.util.HashSet;
import java.util.Set;

/** A file in this JVM's memory, with a lock as the kernel's: each opener is one of these. */
final class FakeSpaceFile implements SpaceFile {
    /** What all openers share. */
    static final class Content {
        private final Set<FakeSpaceFile> holders = new HashSet<>();
        private boolean alone;
        SpaceIdentity identity = new SpaceIdentity(1, 77, 3, 1 << 20, 100, 100);

        /** Somebody wrote to it. */
        void touch() {
            identity = new SpaceIdentity(
                    identity.device(),
                    identity.inode(),
                    identity.inodeGeneration(),
                    identity.fileBytes(),
                    identity.modifiedNanos() + 1,
                    identity.changedNanos() + 1);
        }
    }

    private final Content content;

    FakeSpaceFile(Content content) {
        this.content = content;
    }

    @Override
    public SpaceIdentity identity() {
        return content.identity;
    }

    @Override
    public boolean tryLockAlone() {
        boolean free = content.holders.isEmpty() || content.holders.equals(Set.of(this));
        if (free) {
            content.holders.add(this);
            content.alone = true;
        }
        return free;
    }

    @Override
    public boolean tryLockShared() {
        boolean free = !content.alone || content.holders.equals(Set.of(this));
        if (free) {
            content.alone = false;
            content.holders.add(this);
        }
        return free;
    }

    @Override
    public void unlock() {
        content.alone = false;
        content.holders.remove(this);
    }
}
