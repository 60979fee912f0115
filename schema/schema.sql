CREATE TABLE artifact (
    id          INTEGER PRIMARY KEY,
    key         BLOB    NOT NULL UNIQUE CHECK (length(key) = 32),
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    sha256      BLOB    NOT NULL REFERENCES blob (sha256),
    job         INTEGER NOT NULL REFERENCES job (id),
    skin        INTEGER NOT NULL,
    alias       TEXT    NOT NULL,
    number      INTEGER NOT NULL,
    options     TEXT    NOT NULL,
    source      BLOB    NOT NULL,
    created     INTEGER NOT NULL,
    last_used   INTEGER NOT NULL,
    pinned      INTEGER NOT NULL DEFAULT 0
, features INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX artifact_fingerprint ON artifact (fingerprint);
CREATE INDEX artifact_going ON artifact (sha256, pinned, last_used, source, id);
CREATE INDEX artifact_job ON artifact (job);
CREATE INDEX artifact_skin ON artifact (alias, number, options, created);
CREATE TABLE blob (
    sha256  BLOB    PRIMARY KEY CHECK (length(sha256) = 32),
    size    INTEGER NOT NULL,
    data    BLOB,
    created INTEGER NOT NULL
) STRICT;
CREATE INDEX blob_size ON blob (size);
CREATE TABLE dependency (
    artifact INTEGER NOT NULL REFERENCES artifact (id) ON DELETE CASCADE,
    path     INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    kind     INTEGER NOT NULL,
    found    INTEGER NOT NULL,
    PRIMARY KEY (artifact, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX dependency_path ON dependency (path);
CREATE TABLE job (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    key           BLOB    NOT NULL CHECK (length(key) = 32),
    state         INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 5),
    priority      INTEGER NOT NULL DEFAULT 10,
    skin          INTEGER NOT NULL,
    alias         TEXT    NOT NULL,
    number        INTEGER NOT NULL,
    options       TEXT    NOT NULL,
    created       INTEGER NOT NULL,
    not_before    INTEGER NOT NULL DEFAULT 0,
    attempt       INTEGER NOT NULL DEFAULT 0,
    epoch         INTEGER NOT NULL DEFAULT 0,
    started       INTEGER,
    finished      INTEGER,
    failures      INTEGER NOT NULL DEFAULT 0,
    remembered    INTEGER NOT NULL DEFAULT 0,
    error_class   TEXT,
    error_status  INTEGER NOT NULL DEFAULT 0,
    error         TEXT,
    report        TEXT,
    sha256        BLOB
, owner TEXT, lease_until INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX job_finished ON job (finished) WHERE state > 1;
CREATE INDEX job_key ON job (key, id);
CREATE INDEX job_lease ON job (lease_until) WHERE state = 1;
CREATE UNIQUE INDEX job_live ON job (key) WHERE state IN (0, 1);
CREATE INDEX job_ready ON job (priority DESC, not_before, id) WHERE state = 0;
CREATE INDEX job_skin ON job (alias, number, id);
CREATE INDEX job_state ON job (state, id);
CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
CREATE TABLE variant (
    source   BLOB    NOT NULL REFERENCES blob (sha256) ON DELETE CASCADE,
    encoding INTEGER NOT NULL CHECK (encoding BETWEEN 1 AND 2),
    sha256   BLOB    REFERENCES blob (sha256),
    PRIMARY KEY (source, encoding)
) STRICT, WITHOUT ROWID;
CREATE INDEX variant_sha256 ON variant (sha256);
