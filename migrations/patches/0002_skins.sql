-- What a patch changed for skins that had been made. reason: 0 files, 1 converter, 2 name tables.
-- state: 0 to be made, 1 made, 2 failed, 3 gone from the game, 4 given up (a later patch came, or it was called off).
CREATE TABLE patch_skin (
    patch     INTEGER NOT NULL REFERENCES patch (id) ON DELETE CASCADE,
    alias     TEXT    NOT NULL,
    number    INTEGER NOT NULL,
    options   TEXT    NOT NULL,
    skin      INTEGER NOT NULL,
    reason    INTEGER NOT NULL,
    changed   INTEGER NOT NULL, -- files it used or looked for that are not as they were
    example   INTEGER NOT NULL, -- path hash of one of them
    rank      INTEGER NOT NULL, -- low ones first
    last_used INTEGER NOT NULL,
    canary    INTEGER NOT NULL DEFAULT 0,
    state     INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 4),
    before    BLOB    NOT NULL, -- content of the old GLB
    after     BLOB,
    job       INTEGER,
    error     TEXT,
    warnings  TEXT,             -- codes that the report before had not, separated by blanks
    bytes     INTEGER NOT NULL DEFAULT 0,
    took_ms   INTEGER NOT NULL DEFAULT 0,
    ended     INTEGER,
    PRIMARY KEY (patch, alias, number, options)
) STRICT, WITHOUT ROWID;
CREATE INDEX patch_skin_next ON patch_skin (patch, canary DESC, rank, last_used DESC) WHERE state = 0;

ALTER TABLE patch ADD COLUMN kept INTEGER NOT NULL DEFAULT 0; -- artifacts that hold for it as they are
ALTER TABLE patch ADD COLUMN halted TEXT;                     -- why its sweep stopped
