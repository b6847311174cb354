INSERT INTO jobs (input) VALUES ('hello');
UPDATE jobs SET state = 'completed', output = 'echo: ' || input
    WHERE id = (SELECT id FROM jobs WHERE state = 'queued' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1);
