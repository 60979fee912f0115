-- Which formats its files have, a bit each (core/game/features.h): a patch is tried first on skins that between them have all.
ALTER TABLE artifact ADD COLUMN features INTEGER NOT NULL DEFAULT 0;
