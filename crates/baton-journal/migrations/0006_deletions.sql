-- Streams of one conversation, so that deletion finds them, and any unfinished one, without scanning all streams of the
-- owner.
CREATE INDEX streams_of_conversation ON streams (owner, agent, context, terminal);

-- Conversations being deleted. Ended streams with keys up to last_key are hidden from the commit that adds the row on;
-- their rows are deleted in batches, and the row here with the last batch.
CREATE TABLE deletions (
    owner INTEGER NOT NULL,
    agent TEXT NOT NULL,
    context TEXT NOT NULL,
    last_key INTEGER NOT NULL,
    PRIMARY KEY (owner, agent, context)
) WITHOUT ROWID;

-- Rows that could not be decoded, moved here by a repair with their bytes. `columns` contains the other values
-- as SQL literals.
CREATE TABLE quarantine (
    key INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    stream TEXT NOT NULL,
    columns TEXT NOT NULL,
    bytes BLOB
);
