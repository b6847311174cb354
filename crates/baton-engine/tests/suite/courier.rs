//! The courier among many receivers: one that is away costs the others nothing.

use crate::{
    receivers::Does,
    told::delivered,
    world::{World, message},
};
use baton_engine::{Engine, SendCommand, TaskRef};
use baton_ports::{Journal, OutboxProgress};
use baton_types::{Principal, PushConfig, PushDialect, StreamId, Timestamp};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

const A: &str = "https://a.example/hook";

fn me() -> Arc<Principal> {
    Arc::new(Principal::local())
}

fn telling(url: &str) -> SendCommand {
    let push =
        PushConfig { id: "c".into(), url: url.to_owned(), token: None, authentication: None, dialect: PushDialect::V1 };
    SendCommand { push: Some(push), ..SendCommand::new("boss".into(), message("m", "now")) }
}

async fn started(world: &World) -> Engine {
    let engine = world.engine();
    engine.recover().await.unwrap();
    engine
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_is_away_with_many_tasks_takes_little_of_the_courier() {
    let world = World::default();
    let engine = started(&world).await;
    for index in 0..500 {
        engine.send(&me(), telling(&format!("https://hole.example/{index}"))).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    // New tasks for it, tasks that were tried before, a restart: others are told, also the second time.
    for round in 0..3 {
        for index in 0..100 {
            engine.send(&me(), telling(&format!("https://hole.example/{round}/{index}"))).await.unwrap();
        }
        let (before, begun) = (world.receivers.tries(A).len(), Instant::now());
        world.receivers.rule(A, None, Does::Fail);
        engine.send(&me(), telling(A)).await.unwrap();
        world.receivers.tried(A, before + 1).await;
        world.receivers.rule(A, None, Does::Take);
        world.receivers.tried(A, before + 2).await;
        assert!(begun.elapsed() < Duration::from_secs(2), "round {round}: {:?}", begun.elapsed());
    }
    world.receivers.rule(A, None, Does::Fail);
    let last = engine.send(&me(), telling(A)).await.unwrap();
    engine.shutdown(Duration::from_secs(5)).await;
    world.receivers.rule(A, None, Does::Take);
    let (before, begun) = (world.receivers.at(A).len(), Instant::now());
    let engine = started(&world).await;
    let task = StreamId::Task(last.task.id.clone());
    while world.journal.outbox("push", &task).await.unwrap()[0].progress.open {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(begun.elapsed() < Duration::from_secs(3), "after a restart: {:?}", begun.elapsed());
    assert!(world.receivers.at(A).len() > before);
    engine.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn receivers_behind_one_host_are_told_although_others_of_it_are_away() {
    let world = World::default();
    let engine = started(&world).await;
    for index in 0..300 {
        engine.send(&me(), telling(&format!("https://shared.example/hole/{index}"))).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let begun = Instant::now();
    let well = "https://shared.example/well";
    engine.send(&me(), telling(well)).await.unwrap();
    world.receivers.tried(well, 1).await;
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    engine.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_comes_back_is_told_of_everything_soon() {
    let world = World::default();
    let engine = started(&world).await;
    world.receivers.rule(A, None, Does::TimeOut);
    for _ in 0..200 {
        engine.send(&me(), telling(A)).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(600)).await;
    world.receivers.rule(A, None, Does::Take);
    let begun = Instant::now();
    delivered(&world).await;
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    engine.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_was_set_back_keeps_nobody_waiting() {
    let world = World::default();
    let engine = started(&world).await;
    world.receivers.rule(A, None, Does::Fail);
    let sent = engine.send(&me(), telling(A)).await.unwrap();
    world.receivers.tried(A, 3).await;
    engine.shutdown(Duration::from_secs(5)).await;
    let stream = StreamId::Task(sent.task.id.clone());
    let entry = world.journal.outbox("push", &stream).await.unwrap().remove(0);
    let far = Timestamp::from_millis(i64::from(u32::MAX) * 1000);
    world.journal.outbox_advance(&entry.id, OutboxProgress { due_at: far, ..entry.progress }).await.unwrap();
    world.receivers.rule(A, None, Does::Take);
    let engine = started(&world).await;
    let begun = Instant::now();
    delivered(&world).await;
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    engine.task(&me(), &TaskRef { task: sent.task.id.clone(), agent: None }).await.unwrap();
    engine.shutdown(Duration::from_secs(5)).await;
}
