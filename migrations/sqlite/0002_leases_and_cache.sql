-- A running job is its owner's until the lease is over; then it is anybody's again.
ALTER TABLE job ADD COLUMN owner TEXT;
ALTER TABLE job ADD COLUMN lease_until INTEGER NOT NULL DEFAULT 0;
CREATE INDEX job_lease ON job (lease_until) WHERE state = 1;
CREATE INDEX job_finished ON job (finished) WHERE state > 1;
CREATE INDEX artifact_job ON artifact (job);

-- The same bytes, compressed for transfer: 1 zstd, 2 gzip. sha256 NULL: tried, and not worth keeping.
CREATE TABLE variant (
    source   BLOB    NOT NULL REFERENCES blob (sha256) ON DELETE CASCADE,
    encoding INTEGER NOT NULL CHECK (encoding BETWEEN 1 AND 2),
    sha256   BLOB    REFERENCES blob (sha256),
    PRIMARY KEY (source, encoding)
) STRICT, WITHOUT ROWID;
CREATE INDEX variant_sha256 ON variant (sha256);
