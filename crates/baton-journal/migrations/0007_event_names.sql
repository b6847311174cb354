-- Event kinds and members have new names; older rows are upcast when they are read. Snapshots contain
-- members with the old names: they are removed with their blobs and rebuilt from the events. The schema number keeps
-- older programs from opening the file.
DELETE FROM blobs
WHERE pinned = 0
    AND digest IN (SELECT blob FROM snapshots WHERE blob IS NOT NULL)
    AND digest NOT IN (SELECT blob FROM events WHERE blob IS NOT NULL);
DELETE FROM snapshots;
