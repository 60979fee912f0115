-- Counting and choosing without reading rows: those of jobs hold reports, those of blobs hold bytes.
CREATE INDEX job_state ON job (state, id);
CREATE INDEX blob_size ON blob (size);
CREATE INDEX artifact_use ON artifact (sha256, pinned, last_used, id);
DROP INDEX artifact_sha256;
