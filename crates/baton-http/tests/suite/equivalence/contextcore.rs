//! The same for ContextCore's dialect, which sends, gets, lists and cancels: its journal is that of 1.0, and its
//! answers are those of 1.0 in its own words.

use super::{
    ask::{Ask, Operation, Outcome, Refusal, Result},
    assert_same,
    bindings::{Binding, Reading, exchange, refusal, result},
    content::{chance, pick, words},
    generate::Client,
    lose::without_words,
    on_its_own,
    session::Session,
    world::{IDLE, Place, Record, Setup, World, settled},
};
use baton_types::{TaskState, TaskView};
use baton_wire::{
    a2a::v1::{
        CancelTaskRequest, ErrorKind, GetTaskRequest, ListTasksRequest, SendMessageConfiguration, SendMessageRequest,
    },
    contextcore::{CancelResult, ListParams, SendParams, Task, TaskList, TaskParams},
};
use http::Method;
use rand::RngExt as _;
use std::sync::Arc;

const SEEDS: u64 = 60;
const SETUP: Setup = Setup { place: Place::Named, bare_replies: false };

#[derive(Debug, PartialEq)]
enum Said {
    Task(Task),
    Tasks(TaskList),
    Canceled(CancelResult),
    Refused(Refusal),
    Waiting,
}

#[test]
fn conversations_are_the_same_in_the_dialect_of_contextcore() {
    match std::env::var("BATON_EQUIVALENCE_SEED") {
        Ok(seed) => compare(seed.parse().unwrap()),
        Err(_) => (0..SEEDS).for_each(compare),
    }
}

fn compare(seed: u64) {
    let mut client = Client::new(seed);
    let mut asks = Vec::new();
    let model = on_its_own(async {
        let mut session = Session::new(Binding::MODEL, World::new(SETUP));
        for _ in 0..client.length() {
            let ask = next(&mut client, &session.world.tasks().await);
            session.ask(&ask).await;
            asks.push(ask);
        }
        session.end().await
    });
    let (found, record): (Vec<Said>, Record) = on_its_own(async {
        let world = World::new(SETUP);
        let mut found = Vec::new();
        for ask in &asks {
            let mut said = tokio::time::timeout(IDLE, speak(&world, ask)).await.unwrap_or(Said::Waiting);
            forget_creation(&mut said);
            found.push(said);
            settled().await;
        }
        (found, world.record().await)
    });
    for (index, ask) in asks.iter().enumerate() {
        let expect = translated(ask, model.outcomes[index].clone());
        let what = || format!("replay with BATON_EQUIVALENCE_SEED={seed}: request {index}: {ask:#?}");
        assert_same(&expect, &found[index], what);
    }
    let what = || format!("replay with BATON_EQUIVALENCE_SEED={seed}: the journal after {asks:#?}");
    assert_same(&model.record, &record, what);
}

/// The dialect says when a task was created, and 1.0 does not.
fn forget_creation(said: &mut Said) {
    let tasks = match said {
        Said::Task(task) => std::slice::from_mut(task),
        Said::Tasks(list) => &mut list.tasks[..],
        Said::Canceled(_) | Said::Refused(_) | Said::Waiting => &mut [],
    };
    for task in tasks {
        let created = task.created_time.take();
        assert!(created.is_some() && created <= task.updated_time, "{created:?} {task:?}");
    }
}

/// What the dialect can ask for.
fn next(client: &mut Client, tasks: &[Arc<TaskView>]) -> Ask {
    let waiting = tasks.iter().find(|task| task.state == TaskState::InputRequired);
    let operation = match client.rng.random_range(0..10) {
        1 if !tasks.is_empty() => {
            Operation::Cancel(CancelTaskRequest { id: client.any(tasks).into(), ..Default::default() })
        }
        2 => Operation::Cancel(CancelTaskRequest { id: "no such task".into(), ..Default::default() }),
        3..5 if !tasks.is_empty() => {
            Operation::Get(GetTaskRequest { id: client.any(tasks).into(), ..Default::default() })
        }
        5..7 => Operation::List(ListTasksRequest {
            context_id: chance(&mut client.rng, 40).then(|| "context-1".into()),
            page_size: Some(*pick(&mut client.rng, &[1, 3, 100])),
            include_artifacts: Some(true),
            ..ListTasksRequest::default()
        }),
        _ => {
            let words = words(&mut client.rng);
            let mut message = client.message(words);
            for part in &mut message.parts {
                // The dialect has no file without a type.
                if part.raw.is_some() || part.url.is_some() {
                    part.media_type = Some("text/plain".into());
                }
            }
            if let Some(task) = waiting.filter(|_| chance(&mut client.rng, 80)) {
                (message.task_id, message.context_id) = (Some(task.id.to_string().into()), None);
            }
            let configuration = SendMessageConfiguration { return_immediately: true, ..Default::default() };
            Operation::Send(SendMessageRequest {
                message: Some(message),
                configuration: Some(configuration),
                ..SendMessageRequest::default()
            })
        }
    };
    Ask { operation, extensions: Vec::new(), headers: Vec::new(), leaves_after: None, otherwise: false }
}

/// An outcome in the words of the dialect.
fn translated(ask: &Ask, outcome: Outcome) -> Said {
    let own = |task| Task::from(task).with_agent(&"weather".into());
    match (&ask.operation, without_words(outcome).result) {
        (Operation::Cancel(_), Result::Task(task)) => Said::Canceled(task.into()),
        // The dialect knows no error for it.
        (Operation::Cancel(request), Result::Refused(refused)) if refused.kind == ErrorKind::TaskNotCancelable => {
            Said::Canceled(CancelResult::already_ended(&request.id.as_ref().into()))
        }
        (_, Result::Sent(sent)) => Said::Task(own(sent.task.unwrap())),
        (_, Result::Task(task)) => Said::Task(own(task)),
        (_, Result::Page(page)) => Said::Tasks(TaskList { tasks: page.tasks.into_iter().map(own).collect() }),
        (_, Result::Refused(refusal)) => Said::Refused(refusal),
        (_, Result::Waiting) => Said::Waiting,
        (_, other) => panic!("{other:?}"),
    }
}

async fn speak(world: &World, ask: &Ask) -> Said {
    let task = |id: &str| serde_json::to_string(&TaskParams { task_id: id.to_owned() }).unwrap();
    let (method, params) = match &ask.operation {
        Operation::Send(request) => {
            ("message.send", serde_json::to_string(&SendParams::from(request.clone())).unwrap())
        }
        Operation::Get(request) => ("tasks.get", task(&request.id)),
        Operation::Cancel(request) => ("tasks.cancel", task(&request.id)),
        Operation::List(request) => {
            let context_id = request.context_id.as_ref().map(ToString::to_string);
            let params = ListParams { context_id, limit: request.page_size.map(i64::from) };
            ("tasks.list", serde_json::to_string(&params).unwrap())
        }
        other => panic!("the dialect cannot say {other:?}"),
    };
    let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
    let place = (Method::POST, "/agents/weather/a2a".to_owned());
    let Reading::Text(text) = exchange(world, ask, place, Some(body), &[]).await.body else { panic!("a stream") };
    let read = match &ask.operation {
        Operation::Cancel(_) => result(&text).map(Said::Canceled),
        Operation::List(_) => result(&text).map(Said::Tasks),
        _ => result(&text).map(Said::Task),
    };
    read.unwrap_or_else(|error| {
        let mut refused = refusal(&error, |kind| kind.rpc_code() == error.code);
        refused.message.clear();
        refused.violations.clear();
        Said::Refused(refused)
    })
}
