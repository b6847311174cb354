use crate::sample::*;
use baton_rules::{
    CrashSuspect, ResumeDecision, TaskRecord, crash_reason, decide_resume, is_to_blame, resume_groups,
    resumption_event, waits_for_group,
};
use baton_types::*;
use std::time::Duration;

/// Crashes and resumes the task, alone if it is a suspect; returns its crash counts: all, and alone.
fn crash(task: &mut TaskRecord) -> (u32, u32) {
    let alone = match decide_resume(task) {
        ResumeDecision::Go(_) => false,
        ResumeDecision::Suspect(_) => true,
        ResumeDecision::Continue => panic!("a run was in progress"),
    };
    let event = resumption_event(task, alone).unwrap();
    apply_all(task, &[event]);
    let run = task.run.as_ref().unwrap();
    (run.crashes, run.alone)
}

fn working() -> TaskRecord {
    calling(ToolExecution::Agent, &[call("a", "look"), call("h", "handoff")])
}

#[test]
fn second_crash_at_the_same_event_makes_a_suspect() {
    let mut task = working();
    let died: Vec<_> = (0..4).map(|_| crash(&mut task)).collect();
    assert_eq!(died, [(1, 0), (2, 1), (3, 2), (4, 3)]);
    assert_eq!(task.version, 8, "four events, and four resumptions that are no progress");
    let ResumeDecision::Suspect(suspect) = decide_resume(&task) else { panic!() };
    assert_eq!(suspect, CrashSuspect { crashes: 5, alone: 3 });
    let reason = crash_reason(&task, suspect);
    assert_eq!(reason.code, ErrorCode::CRASH_LOOP.code);
    assert!(reason.detail.contains("5 times while the run was at event 4"), "{}", reason.detail);
}

#[test]
fn progress_or_an_orderly_pause_resets_the_crash_count() {
    for step in [TaskEvent::RunPaused { run: "run".into() }, started("a"), finished("a", "look")] {
        let mut task = working();
        assert_eq!([crash(&mut task), crash(&mut task)], [(1, 0), (2, 1)]);
        apply_all(&mut task, &[step]);
        assert_eq!([crash(&mut task), crash(&mut task)], [(1, 0), (2, 1)]);
    }
}

#[test]
fn starting_again_is_not_progress() {
    let mut calling_a_tool = working();
    apply_all(&mut calling_a_tool, &[started("a")]);
    let mut asking_the_model = task(ToolExecution::Agent, &[run_started(), attempt(1, 1)]);
    for number in 1..4 {
        assert_eq!(crash(&mut calling_a_tool), (number, number - 1));
        apply_all(&mut calling_a_tool, &[started("a")]);
        assert_eq!(crash(&mut asking_the_model), (number, number - 1));
        apply_all(&mut asking_the_model, &[attempt(1, number + 1)]);
    }
}

#[test]
fn waiting_for_another_agent_makes_no_suspect() {
    let mut task = working();
    apply_all(&mut task, &[handed_off("h")]);
    assert_eq!([crash(&mut task), crash(&mut task)], [(1, 0), (2, 1)], "the other call is still its own work");
    apply_all(&mut task, &[finished("a", "look")]);
    assert!((1..10).all(|deaths| crash(&mut task) == (deaths, 0)));
    apply_all(&mut task, &[finished("h", "handoff")]);
    assert_eq!([crash(&mut task), crash(&mut task)], [(1, 0), (2, 1)], "the wait itself did not count");
}

#[test]
fn a_task_without_a_run_simply_continues() {
    assert_eq!(decide_resume(&task(ToolExecution::Agent, &[])), ResumeDecision::Continue);
    assert_eq!(decide_resume(&asking(ToolExecution::Agent, &[call("q", "ask_user")])), ResumeDecision::Continue);
}

fn suspect(crashes: u32, alone: u32) -> CrashSuspect {
    CrashSuspect { crashes, alone }
}

#[test]
fn only_a_run_that_was_resumed_alone_is_blamed() {
    for (crashes, alone, others, is_only_run, expect) in [
        (2, 0, vec![], true, false),
        (9, 0, vec![], true, false),
        (3, 1, vec![], true, true),
        // Another run was in progress and may have been the cause.
        (3, 1, vec![], false, false),
        (4, 2, vec![], false, true),
        (4, 2, vec![suspect(3, 1)], false, true),
        // Another run was in progress as often.
        (4, 2, vec![suspect(3, 0), suspect(4, 2)], false, false),
        (4, 2, vec![suspect(5, 0)], false, false),
    ] {
        let blamed = is_to_blame(suspect(crashes, alone), &others, is_only_run);
        assert_eq!(blamed, expect, "{crashes} {alone} {others:?} {is_only_run}");
    }
}

#[test]
fn few_suspects_are_resumed_alone_and_many_in_bounded_groups() {
    assert!(resume_groups(&[]).is_empty());
    let few = resume_groups(&[suspect(2, 0), suspect(4, 2), suspect(2, 0)]);
    let members: Vec<_> = few.iter().map(|group| group.members.clone()).collect();
    assert_eq!(members, [vec![1], vec![0], vec![2]], "the most frequent suspect comes first");
    assert!(few[0].delay > few[1].delay && few[0].window > few[1].window, "and gets more time: {few:?}");
    let many: Vec<CrashSuspect> = (0..1000).map(|at| suspect(if at < 100 { 3 } else { 2 }, 0)).collect();
    let groups = resume_groups(&many);
    assert!(groups.len() <= 32, "{}", groups.len());
    assert!(groups.iter().all(|group| group.members.len() < 900 && group.window <= Duration::from_secs(20)));
    let mut all: Vec<usize> = groups.iter().flat_map(|group| group.members.clone()).collect();
    assert!(all[..100].iter().all(|at| *at < 100));
    all.sort_unstable();
    assert!(all.into_iter().eq(0..1000), "each once");
}

#[test]
fn suspect_waits_in_every_second_incarnation_only() {
    let waits: Vec<bool> = (1..=5).map(waits_for_group).collect();
    assert_eq!(waits, [true, false, true, false, true], "first in the third incarnation, after the second crash");
}

/// For any number of suspects, the crashing one is found after few further crashes.
#[test]
fn every_crash_leaves_fewer_suspects() {
    for (count, most) in [(1, 2), (16, 2), (17, 3), (1000, 4), (16_384, 5)] {
        for killer in [0, count / 2, count - 1] {
            let mut suspects = vec![suspect(2, 0); count];
            let mut crashes = 0;
            while suspects[killer].alone < 2 {
                let groups = resume_groups(&suspects);
                let group = groups.iter().find(|group| group.members.contains(&killer)).unwrap();
                for at in &group.members {
                    suspects[*at].crashes += 1;
                    suspects[*at].alone += u32::from(group.members.len() == 1);
                }
                crashes += 1;
                assert!(crashes <= most, "{killer} of {count} is not found after {crashes} crashes");
            }
            let others: Vec<CrashSuspect> =
                suspects.iter().enumerate().filter(|(at, _)| *at != killer).map(|(_, suspect)| *suspect).collect();
            assert!(is_to_blame(suspects[killer], &others, false));
        }
    }
}
