-- Names met in the game's own files; tab is the place of the table in the list above, from 0. They are no part of the tables, and of the digest, until
-- the next import takes them in: what a conversion gives must not change with what was converted before it.
CREATE TABLE learnt (
    tab  INTEGER NOT NULL CHECK (tab BETWEEN 0 AND 4),
    hash INTEGER NOT NULL,
    name TEXT    NOT NULL,
    PRIMARY KEY (tab, hash)
) STRICT, WITHOUT ROWID;
