//! Storage faults on the real database: acknowledged commits survive, and work continues once there is space again.

use crate::world::{World, message};
use baton_engine::{Engine, EngineError, FeedItem, ListTasks, SendCommand, TaskRef};
use baton_journal::{
    JournalOptions, SqliteJournal,
    fault::{Fault, FaultyJournal},
};
use baton_ports::{Journal, error_codes};
use baton_types::{Principal, TaskId, TaskState};
use std::sync::Arc;

fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

fn command(text: &str) -> SendCommand {
    SendCommand::new("boss".into(), message("m", text))
}

fn open(directory: &tempfile::TempDir) -> Arc<SqliteJournal> {
    Arc::new(SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap())
}

async fn ended(engine: &Engine, task: &TaskId) -> TaskState {
    let reference = TaskRef { task: task.clone(), agent: None };
    let mut feed = engine.subscribe(&me(), &reference, Some(1)).await.unwrap();
    while let Some(item) = feed.next().await {
        drop::<FeedItem>(item);
    }
    engine.task(&me(), &reference).await.unwrap().state
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_loses_nothing_and_service_returns_with_room() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(&directory);
    let engine = World::default().engine_on(Arc::clone(&journal) as Arc<dyn Journal>);
    let mut acknowledged = vec![engine.send(&me(), command("look;say")).await.unwrap().task.id.clone()];

    journal.set_max_pages(Some(1));
    let filler = "x".repeat(60_000);
    let refusal = loop {
        match engine.send(&me(), command(&format!("say {filler}"))).await {
            Ok(sent) => acknowledged.push(sent.task.id.clone()),
            Err(error) => break error,
        }
    };
    assert_eq!(refusal.code(), error_codes::JOURNAL_UNAVAILABLE);

    journal.set_max_pages(None);
    let after = loop {
        match engine.send(&me(), command("look;say")).await {
            Ok(sent) => break sent.task.id.clone(),
            Err(error) => assert_eq!(error.code(), error_codes::JOURNAL_UNAVAILABLE),
        }
    };
    acknowledged.push(after);
    for task in &acknowledged {
        assert_eq!(ended(&engine, task).await, TaskState::Completed, "{task}");
    }
    assert!(engine.ready());

    // The database is intact, and a new process reads the same.
    engine.shutdown(std::time::Duration::from_secs(5)).await;
    drop(engine);
    journal.close();
    drop(journal);
    let again = World::default().engine_on(open(&directory));
    let page = again.tasks(&me(), &ListTasks { limit: 100, ..Default::default() }).await.unwrap();
    let listed: Vec<&TaskId> = page.tasks.iter().map(|task| &task.id).collect();
    assert!(acknowledged.iter().all(|task| listed.contains(&task)));
    assert!(page.tasks.iter().all(|task| task.state == TaskState::Completed));
}

#[tokio::test(flavor = "multi_thread")]
async fn commit_with_a_false_failure_leaves_one_task_that_ends() {
    for lie_at in 0..6 {
        let directory = tempfile::tempdir().unwrap();
        let plan = move |index| if index == lie_at { Fault::WriteThenFail } else { Fault::Pass };
        let journal = Arc::new(FaultyJournal::new(open(&directory), plan));
        let world = World::default();
        let engine = world.engine_on(journal);
        let sent = engine.send_and_settle(&me(), command("look;say")).await;
        if let Err(error) = &sent {
            assert!(matches!(error, EngineError::Journal(_)), "{error}");
        }
        let page = loop {
            let page = engine.tasks(&me(), &ListTasks { limit: 10, ..Default::default() }).await.unwrap();
            if let Some(task) = page.tasks.first() {
                assert_eq!(ended(&engine, &task.id).await, TaskState::Completed);
                break page;
            }
        };
        assert_eq!(page.total, 1, "the false failure created a second task");
        engine.shutdown(std::time::Duration::from_secs(5)).await;
    }
}
