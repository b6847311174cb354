//! Journal contracts on every implementation.

#[cfg(test)]
mod claims;
#[cfg(test)]
mod contract;
#[cfg(test)]
mod conversations;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod fault;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod model;
#[cfg(test)]
mod observer;
#[cfg(test)]
mod outbox;
#[cfg(test)]
mod ownership;
#[cfg(test)]
mod retention;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod sqlite;
#[cfg(test)]
mod tallies;
#[cfg(test)]
mod tokens;

/// Runs every contract against each implementation.
macro_rules! on_every_journal {
    ($($module:ident::$contract:ident),* $(,)?) => {
        #[cfg(test)]
        mod on_memory {
            $(#[tokio::test]
            async fn $contract() {
                super::$module::$contract(&baton_journal::MemoryJournal::new()).await;
            })*
        }

        #[cfg(test)]
        mod on_sqlite {
            $(#[tokio::test]
            async fn $contract() {
                let directory = tempfile::tempdir().unwrap();
                let journal =
                    baton_journal::SqliteJournal::open(directory.path(), baton_journal::JournalOptions::default()).unwrap();
                super::$module::$contract(&journal).await;
            })*
        }
    };
}

on_every_journal! {
    contract::versions_are_checked_and_events_round_trip,
    contract::a_commit_is_written_whole_or_not_at_all,
    contract::newer_epoch_fences_off_the_older_one,
    contract::stream_of_another_owner_is_not_found,
    contract::unfinished_streams_are_found_in_creation_order,
    contract::the_tail_is_one_order_over_all_streams,
    contract::loading_starts_from_the_snapshot,
    contract::long_bodies_and_blobs_round_trip,
    claims::key_is_claimed_once_per_owner,
    claims::refused_commit_changes_nothing,
    outbox::entry_is_replaced_completely_and_listed_in_order,
    outbox::progress_only_advances_and_never_restores_an_entry,
    outbox::entry_needs_an_existing_stream,
    lists::lists_filter_count_and_break_ties,
    lists::paging_is_stable_while_rows_change,
    conversations::conversation_consists_of_its_tasks_and_session_events,
    conversations::conversation_is_deleted_completely_or_not_at_all,
    conversations::session_events_are_deleted_after_the_last_task,
    retention::only_ended_streams_are_deleted,
    retention::open_outbox_entry_keeps_its_stream,
    tallies::total_counts_successful_commits_only,
    tokens::token_is_replaced_completely_and_listed_oldest_first,
    observer::observer_is_notified_in_order_and_before_the_receipt,
    observer::a_failure_fails_everything_queued_behind_it,
}
