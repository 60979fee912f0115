-- Files that the new GLB goes without, since their format or version is not read.
ALTER TABLE patch_skin ADD COLUMN unsupported INTEGER NOT NULL DEFAULT 0;
