//! The journal's promises, on every implementation.

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
mod possession;
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
    contract::versions_are_checked_and_events_come_back_whole,
    contract::a_commit_is_written_whole_or_not_at_all,
    contract::a_newer_epoch_shuts_the_older_out,
    contract::a_foreign_stream_looks_missing,
    contract::unfinished_streams_are_found_in_creation_order,
    contract::the_tail_is_one_order_over_all_streams,
    contract::loading_starts_from_the_snapshot,
    contract::long_bodies_and_blobs_come_back_whole,
    claims::a_key_is_taken_once_and_by_its_owner,
    claims::a_refused_commit_leaves_nothing,
    outbox::an_order_is_replaced_whole_and_found_in_order,
    outbox::progress_goes_forwards_and_never_brings_an_order_back,
    outbox::an_order_is_about_a_stream_that_exists,
    lists::filters_totals_and_ties,
    lists::paging_holds_while_rows_change,
    conversations::a_conversation_is_its_tasks_and_what_was_said_about_it,
    conversations::a_conversation_goes_whole_or_stays_whole,
    conversations::what_was_said_about_a_conversation_goes_after_its_last_task,
    retention::only_ended_streams_go,
    retention::what_is_still_to_be_told_keeps_its_stream,
    tallies::a_total_grows_with_the_commits_that_became_true,
    tokens::a_token_is_replaced_whole_and_found_oldest_first,
    observer::the_observer_hears_before_the_receipt_and_in_order,
    observer::a_failure_fails_everything_queued_behind_it,
}
