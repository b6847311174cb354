use crate::sample::*;
use baton_rules::{Resume, Task, resume};
use baton_types::*;

/// Dies and is taken up again; gives whether the run went on.
fn die(task: &mut Task) -> bool {
    match resume(task) {
        Resume::Go(event) => {
            apply_all(task, &[event]);
            true
        }
        Resume::GiveUp(reason) => {
            assert_eq!(reason.code, ErrorCode::CRASH_LOOP.code);
            false
        }
        Resume::Continue => panic!("a run was in progress"),
    }
}

fn working() -> Task {
    calling(ToolExecution::Agent, &[call("a", "look"), call("h", "handoff")])
}

#[test]
fn the_third_death_at_the_same_event_ends_the_run() {
    let mut task = working();
    let died: Vec<bool> = (0..3).map(|_| die(&mut task)).collect();
    assert_eq!(died, [true, true, false]);
    assert_eq!(task.version, 6, "four events, and two resumptions that are no progress");
    let Resume::GiveUp(reason) = resume(&task) else { panic!() };
    assert!(reason.detail.contains("3 times at event 4"), "{}", reason.detail);
}

#[test]
fn progress_and_an_orderly_pause_start_the_count_again() {
    for step in [TaskEvent::RunPaused { run: "run".into() }, started("a"), finished("a", "look")] {
        let mut task = working();
        assert!(die(&mut task) && die(&mut task));
        apply_all(&mut task, &[step]);
        assert!(die(&mut task) && die(&mut task), "two more deaths are allowed");
        assert!(!die(&mut task));
    }
}

#[test]
fn beginning_again_is_no_progress() {
    let mut calling_a_tool = working();
    apply_all(&mut calling_a_tool, &[started("a")]);
    let mut asking_the_model = task(ToolExecution::Agent, &[run_started(), attempt(1, 1)]);
    let mut model_again = (2..).map(|number| attempt(1, number));
    let deaths = |task: &mut Task, again: &mut dyn FnMut() -> TaskEvent| {
        let lives = std::iter::from_fn(|| die(task).then(|| apply_all(task, &[again()])));
        lives.take(10).count()
    };
    assert_eq!(deaths(&mut calling_a_tool, &mut || started("a")), 2);
    assert_eq!(deaths(&mut asking_the_model, &mut || model_again.next().unwrap()), 2);
}

#[test]
fn waiting_for_another_agent_brings_no_process_down() {
    let mut task = working();
    apply_all(&mut task, &[handed_off("h")]);
    assert!(die(&mut task) && die(&mut task) && !die(&mut task), "the other call is still its own work");
    apply_all(&mut task, &[finished("a", "look")]);
    assert!((0..10).all(|_| die(&mut task)));
    apply_all(&mut task, &[finished("h", "handoff")]);
    assert!(die(&mut task) && die(&mut task) && !die(&mut task), "the wait itself did not count");
}

#[test]
fn a_task_without_a_run_simply_continues() {
    assert_eq!(resume(&task(ToolExecution::Agent, &[])), Resume::Continue);
    assert_eq!(resume(&asking(ToolExecution::Agent, &[call("q", "ask_user")])), Resume::Continue);
}
