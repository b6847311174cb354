-- Principals that caused events, one row each; other tables refer to them by key.
CREATE TABLE principals (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    subject TEXT NOT NULL,
    UNIQUE (tenant, subject)
);

-- Summary of every stream. Keys increase with creation. Values of noun: 1 task, 2 handoff. Times are Unix milliseconds.
CREATE TABLE streams (
    key INTEGER PRIMARY KEY,
    noun INTEGER NOT NULL,
    id TEXT NOT NULL,
    owner INTEGER NOT NULL,
    agent TEXT NOT NULL,
    context TEXT NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    status_at INTEGER NOT NULL,
    active INTEGER NOT NULL,
    terminal INTEGER NOT NULL,
    lease_holder TEXT,
    lease_expires INTEGER,
    UNIQUE (noun, id)
);
CREATE INDEX streams_active ON streams (key) WHERE active = 1;
-- Ordered by the first four columns; the others make the index covering for counting a total.
CREATE INDEX streams_listed ON streams (owner, noun, status_at, id, agent, state, context);

-- Events. A body over 64 KB is stored in blobs, and the row has its digest instead.
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    number INTEGER NOT NULL,
    run TEXT,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    principal INTEGER NOT NULL,
    trace TEXT,
    kind TEXT NOT NULL,
    schema INTEGER NOT NULL,
    body TEXT,
    blob BLOB
);
CREATE UNIQUE INDEX events_of_stream ON events (stream, number);
CREATE INDEX events_with_blob ON events (blob) WHERE blob IS NOT NULL;

-- The latest folded state of a stream.
CREATE TABLE snapshots (
    stream INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    state TEXT,
    blob BLOB
);
CREATE INDEX snapshots_with_blob ON snapshots (blob) WHERE blob IS NOT NULL;

-- Bytes by SHA-256. Pinned blobs were stored explicitly by digest and are kept; others are deleted with their last
-- reference.
CREATE TABLE blobs (
    digest BLOB NOT NULL UNIQUE,
    pinned INTEGER NOT NULL,
    bytes BLOB NOT NULL
);
CREATE INDEX blobs_loose ON blobs (digest) WHERE pinned = 0;

-- Pending deliveries to external receivers.
CREATE TABLE outbox (
    id TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    noun INTEGER NOT NULL,
    stream_id TEXT NOT NULL,
    body TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX outbox_due ON outbox (channel, due_at, id);

-- Counters that must not decrease when retention removes the newest rows.
CREATE TABLE floor (
    last_seq INTEGER NOT NULL,
    last_key INTEGER NOT NULL
);
INSERT INTO floor VALUES (0, 0);

-- Written and cleared to check whether the disk has free space.
CREATE TABLE probe (
    bytes BLOB NOT NULL
);
