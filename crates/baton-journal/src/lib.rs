//! The journal port on SQLite and in memory.
