//! Permissions of calls in a run: the same outcomes as on the other surfaces.

use crate::{
    permission_cases::{CallOutcome, permission_cases},
    quality::{LoopFixture, Turn},
    world::message,
};
use baton_types::{Message, TaskState};
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn permission_cases_have_their_outcome() {
    for case in permission_cases() {
        let turns = vec![Turn::Calls(vec![("look", json!({"path": case.path}))]), Turn::Says("done")];
        let fixture = LoopFixture::new(turns, |spec| {
            spec.policy = case.policy.clone();
            spec.tools[0] = case.tool(&spec.tools[0]);
        });
        let engine = fixture.engine();
        let mut task = fixture.ask(&engine, message("m", "go")).await;
        let is_asked = task.state == TaskState::InputRequired;
        if is_asked {
            assert_eq!(*fixture.ran.lock().unwrap(), [""; 0], "{}", case.name);
            let answer = message("a", if case.is_approved { "yes" } else { "no" });
            task = fixture.ask(&engine, Message { task: Some(task.id.clone()), ..answer }).await;
        }
        assert_eq!(task.state, TaskState::Completed, "{}", case.name);
        let is_offered = fixture.calls.lock().unwrap()[0].tools.iter().any(|tool| tool.name == "look");
        assert_eq!(is_offered, case.is_offered, "{}", case.name);
        let CallOutcome { is_asked: expect, refusal } = case.outcome;
        assert_eq!(is_asked, expect, "{}", case.name);
        let [result] = fixture.results().try_into().unwrap();
        assert_eq!(fixture.ran.lock().unwrap().is_empty(), refusal.is_some(), "{}: {result}", case.name);
        if let Some(reason) = refusal {
            let denied = format!("BTN-3012: tool call denied: 'look' did not run, because {reason}");
            assert!(result.starts_with(&denied), "{}: {result}", case.name);
        }
    }
}
