-- Nothing more is made for it, of what nobody asked for neither. And in patch_skin: reason 3, never made before and failed.
ALTER TABLE patch ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0;
