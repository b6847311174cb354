//! State machines of Baton as pure functions: transitions of tasks, runs, tool calls and handoffs.
//!
//! This crate is the only place where state changes. It must never do I/O, read a clock or draw a random number: an
//! event and its timestamp are the input, the next state and the next step are the output.
//!
//! Read first: [`TaskRecord`] (the folded state of a task), [`TaskRecord::apply`] (all legal transitions), [`next_step`] (the next
//! step of a run), [`HandoffRecord`] (the folded state of a handoff).

mod access;
mod apply;
mod asks;
mod backoff;
mod budget;
mod caller;
mod context;
mod doubt;
mod effects;
mod form;
mod guard;
mod handoff;
mod mode;
mod pass;
mod permission;
mod rate;
mod repair;
mod resume;
mod seen;
mod session;
mod session_history;
mod session_limits;
mod session_record;
mod step;
mod task;
mod together;
mod tool_parts;
mod window;
mod wishes;

pub use access::{Access, Missing, NoScope, Scope, may, may_everywhere};
pub use apply::Illegal;
pub use asks::{answers_tools, filled, requests_part};
pub use backoff::push_backoff;
pub use budget::{Used, may_call_model, may_call_tools, month_of};
pub use caller::{Heard, RefusedMessage, goes_on, hear};
pub use context::{
    Mention, REQUEST_MEMBER, RelevantItem, SessionItem, candidates, mentions, request_context, session_items, shown,
    without_mentions,
};
pub use doubt::{doubt_ask, doubt_in_words, doubts_part, is_in_doubt};
pub use effects::{
    AddressUse, DefinitionEffects, Destination, OwnerEffect, Program, ProgramStart, ValueSource, ValueUse,
    check_owner_effects,
};
pub use form::{Form, Misfit, UnusableForm, answer_in_form, json_in, wrong_arguments};
pub use guard::{GuardAnswer, GuardSubject, guard_request, guard_tool, unguarded};
pub use handoff::{HandoffRecord, IllegalMove, RefusedHandoff, admit_handoff, handed_over, handoff_target, may_move};
pub use mode::{RefusedMode, check_mode_setting, keeps_mode, mode_of, takes_callers_tools};
pub use pass::{PassedDown, asked_elsewhere, passed_up};
pub use permission::{Decision, Session, ToolWords, decide, glob_matches, offers};
pub use rate::{Bucket, RateLimit};
pub use resume::{
    Resume, ResumeGroup, Suspect, blame, crash_reason, resume, resume_groups, resumption, waits_for_group, works,
};
pub use seen::is_seen;
pub use session::{SESSION_MEMBER, SessionSettings};
pub use session_history::{Transcript, whole};
pub use session_limits::{RefusedSetting, check_settings, check_title};
pub use session_record::{IllegalSession, SessionRecord, in_session};
pub use step::{Asked, Step, asked_of_caller, may_ask_user, next_step, waiting_on_caller};
pub use task::{CallStage, CallState, Failures, HandedOff, PeerAsked, PeerPlace, Repair, Run, Task};
pub use together::together;
pub use tool_parts::{
    ASK_USER_TOOL, CALL_AGENT_TOOL, EMIT_ARTIFACT_TOOL, HANDOFF_TOOL, LIST_AGENTS_TOOL, READ_OUTPUT_TOOL,
    REJECT_TASK_TOOL, REPLY_MESSAGE_TOOL, ToolPartError, calls_in, calls_part, is_built_in, own_calls_in, results_in,
    results_part,
};
pub use window::{Beside, Block, Fit, Overfull, Room, fit};
pub use wishes::{as_wished, callers_tools, changes_definition, forbidden};
