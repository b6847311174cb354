-- Replaces single deliveries, which were never written. An outbox entry now covers all events of its stream and
-- has a cursor.
DROP TABLE outbox;
CREATE TABLE outbox (
    id TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    stream INTEGER NOT NULL,
    body TEXT NOT NULL,
    cursor INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    failing_since INTEGER,
    open INTEGER NOT NULL
) WITHOUT ROWID;
-- The stream is the first column, because retention queries by stream only.
CREATE INDEX outbox_of_stream ON outbox (stream, channel);
CREATE INDEX outbox_open ON outbox (channel, id) WHERE open = 1;

-- Idempotency keys, each with the stream and event number of the request that used it first.
CREATE TABLE claims (
    owner INTEGER NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    stream INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
) WITHOUT ROWID;
CREATE INDEX claims_of_stream ON claims (stream);

-- The folded state has a new member that existing snapshots lack; they are rebuilt from the events.
DELETE FROM snapshots;
