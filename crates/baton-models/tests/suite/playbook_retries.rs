//! Retries of a playbook happen only on request, with paused time.

use crate::{calls::user, strict::agent};
use baton_models::PlaybookModels;
use baton_ports::{ModelError, ModelEvent, ModelResolver};
use baton_types::ModelNote;
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::Instant;

/// Text, delays in milliseconds, and the error of a call.
async fn outcome(rules: &str) -> (String, Vec<u64>, Option<ModelError>) {
    let model = PlaybookModels::new().model(&agent(Some(rules))).unwrap();
    let (mut text, mut delays, mut failure) = (String::new(), Vec::new(), None);
    let start = Instant::now();
    let mut answer = model.call(user("go"));
    while let Some(event) = answer.next().await {
        match event {
            Ok(ModelEvent::Text(more)) => text.push_str(&more),
            Ok(ModelEvent::Note(ModelNote::Retried { wait_ms, .. })) => delays.push(wait_ms),
            Ok(_) => {}
            Err(error) => failure = Some(error),
        }
    }
    assert_eq!(start.elapsed(), Duration::from_millis(delays.iter().sum()), "{rules}");
    (text, delays, failure)
}

#[tokio::test(start_paused = true)]
async fn requested_delay_precedes_each_of_two_retries() {
    let busy = "fail: { status: 429, message: busy, retry_after: 2s }";
    let rules = format!("rules:\n  - {{ when: {{ attempt: 1 }}, {busy} }}\n  - say: 'attempt ${{attempt}}'\n");
    assert_eq!(outcome(&rules).await, ("attempt 2".to_owned(), vec![2_000], None));

    let (text, delays, failure) = outcome(&format!("rules:\n  - {{ {busy} }}\n")).await;
    assert_eq!((text.as_str(), delays), ("", vec![2_000, 2_000]));
    let Some(ModelError::Refused { status: 429, message, advice }) = failure else { panic!("{failure:?}") };
    assert_eq!(message, "busy (retry after 2 s) (after 3 attempts)");
    assert_eq!(advice.wait, Some(Duration::from_secs(2)), "clients can retry later");
}

#[tokio::test(start_paused = true)]
async fn other_failures_are_final() {
    for fail in ["{ status: 503, message: down }", "connection lost", "{ status: 400, message: bad }"] {
        let (text, delays, failure) = outcome(&format!("rules:\n  - {{ fail: {fail} }}\n")).await;
        assert_eq!((text.as_str(), delays), ("", vec![]), "{fail}");
        assert!(failure.is_some(), "{fail}");
    }
    let half = "rules:\n  - { say: half, fail: { status: 429, message: busy, retry_after: 1s } }\n";
    let (text, delays, failure) = outcome(half).await;
    assert_eq!((text.as_str(), delays), ("half", vec![]), "output prevents retries");
    assert!(failure.is_some());
}
