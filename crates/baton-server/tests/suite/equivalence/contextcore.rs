//! Equivalence of ContextCore's dialect, which has send, get, list and cancel: the journal equals that of 1.0, and
//! answers equal the converted answers of 1.0.

use super::{
    assert_same,
    bindings::{Binding, ReplyBody, exchange, refusal, result},
    content::{chance, pick, words},
    generate::Client,
    losses::without_error_text,
    operation::{ClientRequest, Operation, Outcome, Refusal, Result},
    run_isolated,
    session::Session,
    world::{IDLE, Place, Record, Setup, World, wait_until_idle},
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
enum DialectOutcome {
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
    let model = run_isolated(async {
        let mut session = Session::new(Binding::MODEL, World::new(SETUP));
        for _ in 0..client.length() {
            let ask = next(&mut client, &session.world.tasks().await);
            session.ask(&ask).await;
            asks.push(ask);
        }
        session.end().await
    });
    let (found, record): (Vec<DialectOutcome>, Record) = run_isolated(async {
        let world = World::new(SETUP);
        let mut found = Vec::new();
        for ask in &asks {
            let mut outcome = tokio::time::timeout(IDLE, send(&world, ask)).await.unwrap_or(DialectOutcome::Waiting);
            clear_created_time(&mut outcome);
            found.push(outcome);
            wait_until_idle().await;
        }
        (found, world.record().await)
    });
    for (index, ask) in asks.iter().enumerate() {
        let expect = to_dialect(ask, model.outcomes[index].clone());
        let what = || format!("replay with BATON_EQUIVALENCE_SEED={seed}: request {index}: {ask:#?}");
        assert_same(&expect, &found[index], what);
    }
    let what = || format!("replay with BATON_EQUIVALENCE_SEED={seed}: the journal after {asks:#?}");
    assert_same(&model.record, &record, what);
}

/// Removes the creation time, which 1.0 does not have.
fn clear_created_time(outcome: &mut DialectOutcome) {
    let tasks = match outcome {
        DialectOutcome::Task(task) => std::slice::from_mut(task),
        DialectOutcome::Tasks(list) => &mut list.tasks[..],
        DialectOutcome::Canceled(_) | DialectOutcome::Refused(_) | DialectOutcome::Waiting => &mut [],
    };
    for task in tasks {
        let created = task.created_time.take();
        assert!(created.is_some() && created <= task.updated_time, "{created:?} {task:?}");
    }
}

/// A random request that the dialect supports.
fn next(client: &mut Client, tasks: &[Arc<TaskView>]) -> ClientRequest {
    let waiting = tasks.iter().find(|task| task.state == TaskState::InputRequired);
    let operation = match client.rng.random_range(0..10) {
        1 if !tasks.is_empty() => {
            Operation::Cancel(CancelTaskRequest { id: client.any_task(tasks).into(), ..Default::default() })
        }
        2 => Operation::Cancel(CancelTaskRequest { id: "no such task".into(), ..Default::default() }),
        3..5 if !tasks.is_empty() => {
            Operation::Get(GetTaskRequest { id: client.any_task(tasks).into(), ..Default::default() })
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
                // Files need a media type in the dialect.
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
    ClientRequest { operation, extensions: Vec::new(), headers: Vec::new(), disconnect_after: None, alternate: false }
}

/// Converts an outcome to the dialect.
fn to_dialect(ask: &ClientRequest, outcome: Outcome) -> DialectOutcome {
    let own = |task| Task::from(task).with_agent(&"weather".into());
    match (&ask.operation, without_error_text(outcome).result) {
        (Operation::Cancel(_), Result::Task(task)) => DialectOutcome::Canceled(task.into()),
        // The dialect reports an ended task as a result, not as an error.
        (Operation::Cancel(request), Result::Refused(refused)) if refused.kind == ErrorKind::TaskNotCancelable => {
            DialectOutcome::Canceled(CancelResult::already_ended(&request.id.as_ref().into()))
        }
        (_, Result::Sent(sent)) => DialectOutcome::Task(own(sent.task.unwrap())),
        (_, Result::Task(task)) => DialectOutcome::Task(own(task)),
        (_, Result::Page(page)) => DialectOutcome::Tasks(TaskList { tasks: page.tasks.into_iter().map(own).collect() }),
        (_, Result::Refused(refusal)) => DialectOutcome::Refused(refusal),
        (_, Result::Waiting) => DialectOutcome::Waiting,
        (_, other) => panic!("{other:?}"),
    }
}

async fn send(world: &World, ask: &ClientRequest) -> DialectOutcome {
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
        other => panic!("the dialect lacks {other:?}"),
    };
    let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
    let place = (Method::POST, "/agents/weather/a2a".to_owned());
    let ReplyBody::Text(text) = exchange(world, ask, place, Some(body), &[]).await.body else { panic!("a stream") };
    let read = match &ask.operation {
        Operation::Cancel(_) => result(&text).map(DialectOutcome::Canceled),
        Operation::List(_) => result(&text).map(DialectOutcome::Tasks),
        _ => result(&text).map(DialectOutcome::Task),
    };
    read.unwrap_or_else(|error| {
        let mut refused = refusal(&error, |kind| kind.rpc_code() == error.code);
        refused.message.clear();
        refused.violations.clear();
        DialectOutcome::Refused(refused)
    })
}
