-- When what is known of the file last changed, in nanoseconds: a file whose mtime was put back looks otherwise by it.
ALTER TABLE archive ADD COLUMN ctime INTEGER NOT NULL DEFAULT 0;
