-- Times are milliseconds since 1970, mtime is nanoseconds. 64-bit numbers are stored as the signed number with the same bits.

-- The game folder as it was last taken over: what a file looked like, and its header and table of contents as they lay in it.
CREATE TABLE archive (
    path    TEXT    PRIMARY KEY,
    device  INTEGER NOT NULL,
    inode   INTEGER NOT NULL,
    size    INTEGER NOT NULL,
    mtime   INTEGER NOT NULL,
    digest  BLOB    NOT NULL CHECK (length(digest) = 32),
    head    BLOB    NOT NULL
) STRICT;

CREATE TABLE patch (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    version    TEXT    NOT NULL,
    digest     BLOB    NOT NULL CHECK (length(digest) = 32),
    taken      INTEGER NOT NULL,
    archives   INTEGER NOT NULL,
    entries    INTEGER NOT NULL,
    unreadable INTEGER NOT NULL,
    unknown    INTEGER NOT NULL, -- archives of a version that is not known
    took_ms    INTEGER NOT NULL,
    read_bytes INTEGER NOT NULL
) STRICT;

-- change: 0 added, 1 removed, 2 changed, 3 renamed
CREATE TABLE patch_archive (
    patch     INTEGER NOT NULL REFERENCES patch (id) ON DELETE CASCADE,
    path      TEXT    NOT NULL,
    change    INTEGER NOT NULL CHECK (change BETWEEN 0 AND 3),
    came_from TEXT,
    added     INTEGER NOT NULL,
    removed   INTEGER NOT NULL,
    changed   INTEGER NOT NULL,
    renamed   INTEGER NOT NULL,
    PRIMARY KEY (patch, path)
) STRICT, WITHOUT ROWID;
