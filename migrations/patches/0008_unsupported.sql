-- Formats and versions that are not read, [{"format":…,"what":…,"count":…}]: of the archives, and of the files of a skin that was made or failed.
ALTER TABLE patch ADD COLUMN unsupported TEXT NOT NULL DEFAULT '[]';
ALTER TABLE patch_skin ADD COLUMN variants TEXT NOT NULL DEFAULT '[]';
