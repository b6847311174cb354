//! Long conversations, long runs, and requests that a provider finds too long.

use super::small_window::{FIRST, SmallWindowFixture, ask, assert_paired, call_tool, compactions, say, words};
use baton_ports::{ChatMessage, ModelCall, ModelError, ModelEvent};
use baton_types::{ErrorCode, Message, Part, ReasoningBlock, TaskState};
use serde_json::json;

/// Of 8192 tokens, an eighth is reserved for the answer and a twentieth stays free; a token has four letters.
const BUDGET: usize = 8_192 - 1_024 - 409;

fn assert_fits(call: &ModelCall) {
    let tokens = words(call).len() / 4;
    assert!(tokens <= BUDGET, "{tokens} tokens in call {}", call.message_id);
}

fn remembers(call: &ModelCall) -> bool {
    call.messages.iter().any(|message| matches!(message, ChatMessage::User { text, .. } if text.contains(FIRST)))
}

#[tokio::test(start_paused = true)]
async fn three_hundred_turns_keep_the_first_message_and_the_record() {
    let fixture =
        SmallWindowFixture::new(Some(8_192), |_, number| say(&format!("answer {number} {}", "so it is ".repeat(40))));
    let mut engine = fixture.engine();
    let mut tasks = Vec::new();
    for turn in 1..=300 {
        let text =
            if turn == 1 { FIRST.to_owned() } else { format!("question {turn} {}", "and what of it ".repeat(30)) };
        // The engine restarts now and then: all state is in the journal.
        if turn % 50 == 0 {
            engine = fixture.engine();
        }
        let done = ask(&engine, &format!("m-{turn}"), vec![Part::text(text)]).await;
        assert_eq!(done.state, TaskState::Completed, "{done:?}");
        tasks.push(done);
    }
    let calls = fixture.calls.lock().unwrap().clone();
    assert_eq!(calls.len(), 300);
    for (turn, call) in (1..).zip(&calls) {
        assert_fits(call);
        assert!(remembers(call), "call {turn} does not contain the first message");
        let asked = format!("question {turn} ");
        assert!(turn == 1 || words(call).contains(&asked), "call {turn} does not contain the question");
    }
    // Compaction happens now and then, not with every call, and each summary builds on the previous one.
    let summaries = fixture.summaries.lock().unwrap().clone();
    assert!((5..60).contains(&summaries.len()), "{} summaries", summaries.len());
    assert!(words(summaries.last().unwrap()).contains(&format!("notes {}", summaries.len() - 1)));
    summaries.iter().for_each(assert_fits);
    let mut compacted = 0;
    for (turn, task) in (1..).zip(&tasks) {
        for compaction in compactions(&engine, task).await {
            compacted += 1;
            assert!(compaction.tokens_after < compaction.tokens_before);
            assert_eq!(compaction.first.unwrap().text, FIRST);
            assert_eq!(compaction.usage.input_tokens, 10);
        }
        // The record of every turn is complete.
        assert_eq!(task.history.len(), 2, "turn {turn}");
        assert!(task.history[1].text().starts_with(&format!("answer {turn} ")));
    }
    assert_eq!(compacted, summaries.len());
}

#[tokio::test(start_paused = true)]
async fn run_of_three_hundred_calls_keeps_pairs_reasoning_and_question() {
    let fixture = SmallWindowFixture::new(Some(8_192), |call, number| match number {
        300 => say("all done"),
        _ => {
            let reasoning = ReasoningBlock {
                model: "test:narrow".to_owned(),
                text: format!("thought {}", call.message_id),
                replay: Some(json!({"sealed": call.message_id.as_str()}).into()),
                after_text: false,
            };
            let mut answer = call_tool(call, "look", json!({"number": number}));
            answer.insert(0, Ok(ModelEvent::ReasoningComplete(reasoning)));
            answer
        }
    });
    *fixture.output.lock().unwrap() = "row after row ".repeat(200);
    let engine = fixture.engine();
    let done = ask(&engine, "m-1", vec![Part::text(FIRST)]).await;
    assert_eq!(done.state, TaskState::Completed, "{done:?}");
    let calls = fixture.calls.lock().unwrap().clone();
    assert_eq!(calls.len(), 300);
    for call in &calls {
        assert_fits(call);
        assert_paired(call);
        assert!(remembers(call));
        for message in &call.messages {
            if let ChatMessage::Assistant { calls, reasoning, .. } = message {
                let thought = reasoning.as_ref().expect("every call has its reasoning");
                assert_eq!(calls[0].id.as_str(), format!("{}-call", &thought.text["thought ".len()..]));
            }
        }
    }
    // The first compaction is cheap: old results are shortened, without a summary.
    let compactions = compactions(&engine, &done).await;
    assert!(compactions.len() > 5);
    assert!(compactions[0].through.is_none() && !compactions[0].shortened.is_empty(), "{:?}", compactions[0]);
    assert!(compactions.last().unwrap().through.is_some());
    assert_eq!(done.history.len(), 600, "the record is complete");
}

#[tokio::test(start_paused = true)]
async fn request_that_a_provider_finds_too_long_is_compacted_once() {
    let too_long = || vec![Err(ModelError::TooLong("at most 3000".to_owned()))];
    for always in [false, true] {
        let fixture = SmallWindowFixture::new(None, move |call, _| match words(call).len() / 4 > 3_000 || always {
            true => too_long(),
            false => say("fine"),
        });
        let engine = fixture.engine();
        let mut states = Vec::new();
        for turn in 1..=12 {
            let text = if turn == 1 { FIRST.to_owned() } else { "what of it ".repeat(120) };
            let done = ask(&engine, &format!("m-{turn}"), vec![Part::text(text)]).await;
            states.push(done.state);
            if always {
                assert_eq!(done.state, TaskState::Failed);
                let said = done.status_message.as_ref().map(Message::text).unwrap_or_default();
                assert!(said.contains("at most 3000") || said.contains(ErrorCode::MODEL_FAILED.code), "{said}");
                assert!(fixture.calls.lock().unwrap().len() <= 2, "at most one retry");
                break;
            }
        }
        if !always {
            assert!(states.iter().all(|state| *state == TaskState::Completed), "{states:?}");
            let calls = fixture.calls.lock().unwrap().clone();
            assert!(calls.len() > 12 && remembers(calls.last().unwrap()), "{} calls", calls.len());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_longer_than_the_window_by_itself_is_not_sent() {
    let fixture = SmallWindowFixture::new(Some(8_192), |_, _| say("never"));
    let done = ask(&fixture.engine(), "m-1", vec![Part::text("word ".repeat(10_000))]).await;
    assert_eq!(done.state, TaskState::Failed);
    assert!(fixture.calls.lock().unwrap().is_empty());
    let said = done.status_message.as_ref().map(Message::text).unwrap_or_default();
    assert!(said.contains("fit"), "{said}");
}
