-- Which results go first when room is wanted also depends on the state of the game that they were made from.
CREATE INDEX artifact_going ON artifact (sha256, pinned, last_used, source, id);
DROP INDEX artifact_use;
