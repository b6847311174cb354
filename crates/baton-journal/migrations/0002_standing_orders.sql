-- Deliveries were kept one by one, and none was ever written. Now an order stands for all events of its stream and
-- remembers how far it got.
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
-- The stream comes first, because retention asks for it alone.
CREATE INDEX outbox_of_stream ON outbox (stream, channel);
CREATE INDEX outbox_open ON outbox (channel, id) WHERE open = 1;

-- Idempotency keys, each with the events that came of the request which used it first.
CREATE TABLE claims (
    owner INTEGER NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    stream INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
) WITHOUT ROWID;
CREATE INDEX claims_of_stream ON claims (stream);

-- The folded state has gained a member that these do not have; the events fold into it from the beginning.
DELETE FROM snapshots;
