-- Of what changed: not there when the GLB was made; not there now.
ALTER TABLE patch_skin ADD COLUMN appeared INTEGER NOT NULL DEFAULT 0;
ALTER TABLE patch_skin ADD COLUMN vanished INTEGER NOT NULL DEFAULT 0;
