//! Running totals of usage.

use super::{
    error::{JobError, from_sql},
    rows::{from_int, to_int},
    writer::JournalWriter,
};
use baton_ports::{JournalError, Tally};
use baton_types::BudgetUsage;
use rusqlite::{Connection, OptionalExtension as _, params};

const ADD: &str = "INSERT INTO tallies (key, tokens, micro_dollars, tool_calls) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (key) DO UPDATE SET tokens = tokens + ?2, micro_dollars = micro_dollars + ?3, \
     tool_calls = tool_calls + ?4";
const FIND: &str = "SELECT tokens, micro_dollars, tool_calls FROM tallies WHERE key = ?1";

impl JournalWriter {
    /// Adds an amount to a total.
    pub(super) fn add_tally(&self, tally: &Tally) -> Result<(), JobError> {
        let BudgetUsage { tokens, micro_dollars, tool_calls } = tally.spent;
        let row = params![tally.key, to_int(tokens), to_int(micro_dollars), to_int(tool_calls)];
        self.connection.prepare_cached(ADD)?.execute(row)?;
        Ok(())
    }
}

/// A total by key.
pub(super) fn find(connection: &Connection, key: &str) -> Result<BudgetUsage, JournalError> {
    let find = || -> rusqlite::Result<Option<BudgetUsage>> {
        let mut find = connection.prepare_cached(FIND)?;
        find.query_row([key], |row| {
            let count = |at| -> rusqlite::Result<u64> { Ok(from_int(row.get(at)?)) };
            Ok(BudgetUsage { tokens: count(0)?, micro_dollars: count(1)?, tool_calls: count(2)? })
        })
        .optional()
    };
    Ok(find().map_err(|error| from_sql(&error))?.unwrap_or_default())
}
