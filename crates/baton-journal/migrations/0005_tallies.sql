-- Running totals of usage by key. A key contains its month, so that every month starts a new total.
CREATE TABLE tallies (
    key TEXT PRIMARY KEY,
    tokens INTEGER NOT NULL,
    micro_dollars INTEGER NOT NULL,
    tool_calls INTEGER NOT NULL
) WITHOUT ROWID;
