//! Push dispatcher with many receivers: an unavailable receiver does not delay the others.

use crate::{
    notification_check::wait_until_delivered,
    receivers::Behavior,
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

fn command_with_push(url: &str) -> SendCommand {
    let push =
        PushConfig { id: "c".into(), url: url.to_owned(), token: None, authentication: None, dialect: PushDialect::V1 };
    SendCommand { push: Some(push), ..SendCommand::new("boss".into(), message("m", "now")) }
}

async fn start_engine(world: &World) -> Engine {
    let engine = world.engine();
    engine.recover().await.unwrap();
    engine
}

#[tokio::test(start_paused = true)]
async fn unavailable_receiver_with_many_tasks_does_not_delay_others() {
    let world = World::default();
    let engine = start_engine(&world).await;
    for index in 0..500 {
        engine.send(&me(), command_with_push(&format!("https://hole.example/{index}"))).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    // With new tasks, retried tasks and a restart: other receivers get their notifications, including retries.
    for round in 0..3 {
        for index in 0..100 {
            engine.send(&me(), command_with_push(&format!("https://hole.example/{round}/{index}"))).await.unwrap();
        }
        let (before, begun) = (world.receivers.attempts(A).len(), Instant::now());
        world.receivers.rule(A, None, Behavior::Fail);
        engine.send(&me(), command_with_push(A)).await.unwrap();
        world.receivers.wait_for_attempts(A, before + 1).await;
        world.receivers.rule(A, None, Behavior::Accept);
        world.receivers.wait_for_attempts(A, before + 2).await;
        assert!(begun.elapsed() < Duration::from_secs(2), "round {round}: {:?}", begun.elapsed());
    }
    world.receivers.rule(A, None, Behavior::Fail);
    let last = engine.send(&me(), command_with_push(A)).await.unwrap();
    engine.shutdown(Duration::from_secs(5)).await;
    world.receivers.rule(A, None, Behavior::Accept);
    let (before, begun) = (world.receivers.at(A).len(), Instant::now());
    let engine = start_engine(&world).await;
    let task = StreamId::Task(last.task.id.clone());
    while world.journal.outbox("push", &task).await.unwrap()[0].progress.open {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(begun.elapsed() < Duration::from_secs(3), "after a restart: {:?}", begun.elapsed());
    assert!(world.receivers.at(A).len() > before);
    engine.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn receivers_are_served_while_others_on_their_host_hang() {
    let world = World::default();
    let engine = start_engine(&world).await;
    for index in 0..300 {
        engine.send(&me(), command_with_push(&format!("https://shared.example/hole/{index}"))).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let begun = Instant::now();
    let well = "https://shared.example/well";
    engine.send(&me(), command_with_push(well)).await.unwrap();
    world.receivers.wait_for_attempts(well, 1).await;
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    engine.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn recovered_receiver_soon_gets_every_notification() {
    let world = World::default();
    let engine = start_engine(&world).await;
    world.receivers.rule(A, None, Behavior::TimeOut);
    for _ in 0..200 {
        engine.send(&me(), command_with_push(A)).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(600)).await;
    world.receivers.rule(A, None, Behavior::Accept);
    let begun = Instant::now();
    wait_until_delivered(&world).await;
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    engine.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn delivery_continues_after_the_clock_was_set_back() {
    let world = World::default();
    let engine = start_engine(&world).await;
    world.receivers.rule(A, None, Behavior::Fail);
    let sent = engine.send(&me(), command_with_push(A)).await.unwrap();
    world.receivers.wait_for_attempts(A, 3).await;
    engine.shutdown(Duration::from_secs(5)).await;
    let stream = StreamId::Task(sent.task.id.clone());
    let entry = world.journal.outbox("push", &stream).await.unwrap().remove(0);
    let far = Timestamp::from_millis(i64::from(u32::MAX) * 1000);
    world.journal.outbox_advance(&entry.id, OutboxProgress { due_at: far, ..entry.progress }).await.unwrap();
    world.receivers.rule(A, None, Behavior::Accept);
    let engine = start_engine(&world).await;
    let begun = Instant::now();
    wait_until_delivered(&world).await;
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    engine.task(&me(), &TaskRef { task: sent.task.id.clone(), agent: None }).await.unwrap();
    engine.shutdown(Duration::from_secs(5)).await;
}
