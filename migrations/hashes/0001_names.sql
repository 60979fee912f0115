-- One table per list. The hash is the row id (64-bit hashes as the signed number with the same bits).
CREATE TABLE game       (hash INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE binentries (hash INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE binhashes  (hash INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE binfields  (hash INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE bintypes   (hash INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
-- digest: changes whenever a name is added, and only then.
CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
INSERT INTO state VALUES ('digest', 0);
