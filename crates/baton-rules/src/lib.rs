//! State machines of Baton as pure functions: transitions of tasks, runs, tool calls and handoffs.
//!
//! This crate is the only place where state changes. It must never do I/O, read a clock or draw a random number: an
//! event and its timestamp are the input, the next state and the next step are the output.
//!
//! Read first: [`TaskRecord`] (the folded state of a task), [`TaskRecord::apply`] (all legal transitions),
//! [`next_step`] (the next step of a run), [`HandoffRecord`] (the folded state of a handoff).

mod access;
mod apply;
mod budget;
mod caller;
mod concurrency_groups;
mod context;
mod effects;
pub mod error_codes;
mod guard;
mod handoff;
mod in_doubt;
mod input_requests;
mod mode;
mod permission;
mod question_forwarding;
mod rate;
mod repair;
mod resume;
mod run_options;
mod schema_budget;
mod schema_messages;
mod schema_validator;
mod session;
mod session_history;
mod session_limits;
mod session_record;
mod step;
mod task;
mod tool_parts;
mod visibility;
mod window;

pub use access::{Access, AccessScope, MissingScope, ScopeParseError, check_access, check_access_to_all};
pub use apply::IllegalTransition;
pub use budget::{BudgetTotals, calendar_month, may_call_model, may_call_tools};
pub use caller::{AcceptedMessage, MessageRejection, accept_message, resume_child_wait};
pub use concurrency_groups::group_concurrent_calls;
pub use context::{
    Mention, REQUEST_MEMBER, RelevantItem, SessionItem, mentions, relevance_candidates, request_context,
    request_context_json, session_items, without_mentions,
};
pub use effects::{
    AddressUse, DefinitionEffects, Destination, OwnerEffect, Program, ProgramStart, ValueSource, ValueUse,
    check_owner_effects,
};
pub use guard::{GuardDecision, GuardSubject, guard_request, guard_tool, unchecked_messages};
pub use handoff::{
    HandoffRecord, HandoffRejection, IllegalHandoffTransition, admit_handoff, handoff_depth, is_legal_transition,
    resolve_handoff_target,
};
pub use in_doubt::{in_doubt_message, in_doubt_part, in_doubt_request, is_in_doubt};
pub use input_requests::{complete_form, input_requests_part, is_tool_answer};
pub use mode::{ModeRejection, check_caller_tools, check_mode_setting, check_mode_unchanged, resolve_mode};
pub use permission::{CallAuthorization, PermissionContext, authorize_call, is_callable, is_offered};
pub use question_forwarding::{ForwardedAnswer, forwarded_question_parts, mark_remote_question};
pub use rate::{RateLimit, TokenBucket};
pub use resume::{
    CrashSuspect, ResumeDecision, ResumeGroup, crash_reason, decide_resume, has_own_work, is_to_blame, resume_groups,
    resumption_event, waits_for_group,
};
pub use run_options::{apply_run_options, caller_tools, changes_definition, forbidden_reason};
pub use schema_validator::{
    SchemaCompileError, SchemaValidator, SchemaViolation, argument_errors, extract_json, parse_answer,
};
pub use session::{SESSION_MEMBER, SessionToolSettings};
pub use session_history::{Transcript, repair_transcript};
pub use session_limits::{InvalidSetting, check_settings, check_title};
pub use session_record::{IllegalSessionEvent, SessionRecord, apply_overrides};
pub use step::{CallerRequests, RunStep, caller_requests, is_run_by_caller, may_ask_user, next_step};
pub use task::{
    AnswerRepair, CallStage, CallState, PeerDispatch, PeerTaskRef, PendingHandoff, RunState, TaskRecord, ToolFailures,
};
pub use tool_parts::{
    ASK_USER_TOOL, CALL_AGENT_TOOL, EMIT_ARTIFACT_TOOL, HANDOFF_TOOL, LIST_AGENTS_TOOL, READ_OUTPUT_TOOL,
    REJECT_TASK_TOOL, REPLY_MESSAGE_TOOL, ToolPartError, calls_part, is_built_in, parse_own_tool_calls,
    parse_tool_calls, parse_tool_results, results_part,
};
pub use visibility::is_visible_to_caller;
pub use window::{CompactionPlan, ConversationBlock, TokenOverhead, WindowBudget, WindowOverflow, plan_compaction};
