//! Error codes of the ports, for every implementation.

baton_types::error_codes! {
    NAME_TAKEN = "BTN-2031", "The name is taken", "Choose another name, or change the existing item.";
    AGENT_OUTDATED = "BTN-2033", "The agent has changed since you read it", "Read the agent again, then send your change with its current ETag.";
    JOURNAL_UNAVAILABLE = "BTN-4002", "The journal could not be written", "Free disk space or check the disk; Baton continues automatically when there is space.";
    JOURNAL_LOCKED = "BTN-4003", "Another Baton owns this data directory", "Use the running one with --server, or choose another directory with --data.";
    JOURNAL_CORRUPT = "BTN-4004", "The journal is damaged or not a Baton journal", "Restore .baton from a backup, or move it away and start with a new one. `baton doctor --repair` reports the damage.";
    JOURNAL_NEWER = "BTN-4005", "The journal was written by a newer Baton", "Run that version or a later one.";
    JOURNAL_CONFLICT = "BTN-4006", "The task was changed concurrently", "Read the task and try again.";
    JOURNAL_MISSING = "BTN-5010", "The data directory has lost its journal", "Restore journal.db from a backup; to start without it, run `baton up --new-journal` once.";
    RECORD_DAMAGED = "BTN-5012", "The stored record of a task cannot be read", "Other tasks are not affected. Restore the journal from a backup, or stop Baton and run `baton doctor --repair`, which moves the record aside.";
}
