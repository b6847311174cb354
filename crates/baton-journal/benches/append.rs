//! Durable commits per second with 1, 16 and 64 concurrent callers; each commit has five small events and is awaited.
#![expect(clippy::print_stdout, reason = "a benchmark prints its result")]

use baton_journal::{JournalOptions, SqliteJournal};
use baton_ports::{Commit, CommitObserver, Journal, StoredEvent, StreamHeadUpdate, StreamQuery, Write};
use baton_types::{
    AgentName, ContextId, JournalEvent, Message, MessageId, Part, Principal, Role, RunId, StreamId, TaskEvent, TaskId,
    TaskState, Timestamp,
};
use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

type BenchError = Box<dyn Error + Send + Sync>;

/// Duration of each measurement.
const MEASURE_DURATION: Duration = Duration::from_secs(4);

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

struct BlackBoxObserver;

impl CommitObserver for BlackBoxObserver {
    fn on_commit(&self, events: &[Arc<StoredEvent>]) {
        std::hint::black_box(events);
    }
}

/// All events of one task: request, start, answer, completion.
fn task(id: &str, principal: &Arc<Principal>) -> Commit {
    let (context, message) = (ContextId::new(format!("context-{id}")), MessageId::new(format!("message-{id}")));
    let received = |text: &str| TaskEvent::MessageReceived {
        message: Message::new(message.clone(), Role::User, vec![Part::text(text)]),
        results: Vec::new(),
    };
    let attempt = TaskEvent::AttemptStarted { message: message.clone(), turn: 1, attempt: 1 };
    let status = |state| TaskEvent::StatusChanged { state, message: None, reason: None };
    let facts = vec![
        received("What's the weather in Oakland?"),
        status(TaskState::Working),
        attempt,
        received("The weather in Oakland is 72°F, sunny, with 65 % humidity."),
        status(TaskState::Completed),
    ];
    let at = Timestamp::from_millis(1_763_236_800_000);
    let write = Write {
        stream: StreamId::Task(TaskId::new(id)),
        expected_version: 0,
        epoch: 1,
        principal: principal.clone(),
        run: Some(RunId::new(format!("run-{id}"))),
        trace: None,
        at,
        facts: facts.into_iter().map(JournalEvent::Task).collect(),
        head: StreamHeadUpdate {
            agent: AgentName::new("weather"),
            context,
            state: TaskState::Completed.as_str(),
            status_at: at,
            active: false,
            terminal: true,
        },
        snapshot: None,
    };
    Commit::from_writes(vec![write])
}

async fn measure(journal: &Arc<SqliteJournal>, callers: usize) -> Result<(), BenchError> {
    let begun = Instant::now();
    let tasks: Vec<_> = (0..callers)
        .map(|caller| {
            let journal = journal.clone();
            tokio::spawn(async move {
                let principal = Arc::new(Principal::local());
                let mut waits = Vec::new();
                while begun.elapsed() < MEASURE_DURATION {
                    // Ids are ordered by time, like real ones.
                    let id = format!("018f-{:016}-{callers:04}-{caller:05}", NEXT_ID.fetch_add(1, Ordering::Relaxed));
                    let asked = Instant::now();
                    journal.append(task(&id, &principal)).await?;
                    waits.push(asked.elapsed());
                }
                Ok::<_, BenchError>(waits)
            })
        })
        .collect();
    let mut waits = Vec::new();
    for task in tasks {
        waits.extend(task.await??);
    }
    let rate = waits.len() as f64 / begun.elapsed().as_secs_f64();
    waits.sort_unstable();
    let quantile = |part: usize| waits.get(waits.len() * part / 100).copied().unwrap_or_default();
    println!("{callers:>3} callers: {rate:>7.0} commits/s, p50 {:?}, p99 {:?}", quantile(50), quantile(99));
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), BenchError> {
    let directory = tempfile::tempdir()?;
    let journal = Arc::new(SqliteJournal::open(directory.path(), JournalOptions::default())?);
    journal.observe(Arc::new(BlackBoxObserver));
    for callers in [1, 16, 64] {
        measure(&journal, callers).await?;
    }
    let bytes = std::fs::metadata(directory.path().join("journal.db"))?.len();
    let last = journal.append(Commit::default()).await?;
    println!("{last} events, {} bytes each on disk", bytes / last.max(1));
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmRSS")).for_each(|line| println!("{line}"));
    }
    let asked = Instant::now();
    let query = StreamQuery { agent: Some(AgentName::new("weather")), ..StreamQuery::tasks(50) };
    let page = journal.list(&Principal::local(), &query).await?;
    println!("a page of {} of {} tasks in {:?}", page.heads.len(), page.total, asked.elapsed());
    journal.close();
    drop(journal);
    let begun = Instant::now();
    let journal = SqliteJournal::open(directory.path(), JournalOptions::default())?;
    println!("reopened in {:?}", begun.elapsed());
    drop(journal);
    Ok(())
}
