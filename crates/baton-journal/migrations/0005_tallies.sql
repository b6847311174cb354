-- Running totals of what was used up, by name. Names hold a month, so that totals end by themselves.
CREATE TABLE tallies (
    key TEXT PRIMARY KEY,
    tokens INTEGER NOT NULL,
    micro_dollars INTEGER NOT NULL,
    tool_calls INTEGER NOT NULL
) WITHOUT ROWID;
