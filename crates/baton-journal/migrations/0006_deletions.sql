-- The streams of one conversation: deletion finds them, and whether one is unfinished, without a walk over its owner's.
CREATE INDEX streams_of_conversation ON streams (owner, agent, context, terminal);

-- Conversations that are being deleted. Ended streams with keys up to last_key are invisible from the commit that adds
-- the row; their rows go in batches, and the row here with the last of them.
CREATE TABLE deletions (
    owner INTEGER NOT NULL,
    agent TEXT NOT NULL,
    context TEXT NOT NULL,
    last_key INTEGER NOT NULL,
    PRIMARY KEY (owner, agent, context)
) WITHOUT ROWID;

-- Rows that could not be decoded, moved here by a repair with their bytes. `columns` has the other values as
-- SQL literals.
CREATE TABLE quarantine (
    key INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    stream TEXT NOT NULL,
    columns TEXT NOT NULL,
    bytes BLOB
);
