-- What became of a skin with the patches before.
CREATE INDEX patch_skin_by_skin ON patch_skin (alias, number, options, patch);
