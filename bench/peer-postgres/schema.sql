CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state text NOT NULL DEFAULT 'queued',
    input text NOT NULL,
    output text
);
CREATE INDEX jobs_queued ON jobs (id) WHERE state = 'queued';
