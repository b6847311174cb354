//! Permission decision for a call.

use super::{
    arguments::Arguments,
    word::{Named, Word, word},
};
use baton_types::{AskWhen, Effects, Include, Json, Permission, ToolPolicy, ToolSpec};

const DENIED: &str = "the agent's permissions deny it; continue without it, or use another tool";
const ARGUMENTS_DENIED: &str = "the agent's permissions deny calls with such arguments; other arguments may be allowed";
const NOBODY_TO_ASK: &str = "it needs approval, and in this session no one can be asked; continue without it, \
                             or use another tool";
const NOT_ALONE: &str = "an autonomous agent cannot change itself or its session; continue without it, or use another \
                         tool, and say in the answer what should be changed";
const NOT_NAMED: &str = "it is available only in sessions that include it; continue without it, or use another tool";

/// Session settings that affect permissions.
#[derive(Clone, Copy, Debug)]
pub struct Session<'a> {
    /// Whether no person can be asked.
    pub autonomous: bool,
    /// When approval is requested.
    pub ask: AskWhen,
    /// Explicitly included tools, by their name for models or on their server.
    pub included: &'a [String],
}

/// Permission decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The call runs.
    Run,
    /// Approval is requested first.
    Ask,
    /// The call does not run; the reason is for the model and completes "because".
    Deny(&'static str),
}

/// Decides about a call; `None` as arguments means that they are unknown. `granted` is whether the tool is approved for
/// this session; an autonomous session never has such approvals.
pub fn decide(
    policy: &ToolPolicy,
    session: &Session<'_>,
    tool: &ToolSpec,
    arguments: Option<&Json>,
    granted: bool,
) -> Decision {
    let said = match word(policy, tool, &Arguments::of(arguments)) {
        Word::Said((_, said)) => said,
        Word::Denied => return Decision::Deny(DENIED),
        Word::ArgumentsDenied => return Decision::Deny(ARGUMENTS_DENIED),
    };
    if changes_itself_alone(session, tool) {
        return Decision::Deny(NOT_ALONE);
    }
    if !is_named(session, tool) {
        return Decision::Deny(NOT_NAMED);
    }
    match done_with(session, said) {
        Decision::Ask if granted => Decision::Run,
        decision => decision,
    }
}

/// Applies the session settings to a permission.
pub(super) fn done_with(session: &Session<'_>, said: Permission) -> Decision {
    let asks = match (said, session.ask) {
        (Permission::Deny, _) => return Decision::Deny(DENIED),
        (_, AskWhen::Always) => true,
        (_, AskWhen::Never) => false,
        (said, AskWhen::Tool) => said == Permission::Ask,
    };
    match (asks, session.autonomous) {
        (false, _) => Decision::Run,
        (true, false) => Decision::Ask,
        (true, true) => Decision::Deny(NOBODY_TO_ASK),
    }
}

/// Whether the tool would change an autonomous agent. This is never allowed, whatever the definition permits.
pub(super) fn changes_itself_alone(session: &Session<'_>, tool: &ToolSpec) -> bool {
    session.autonomous && tool.effects == Effects::OwnAgent
}

/// Whether the tool is part of the session. Tools included by relevance count as part of it.
pub(super) fn is_named(session: &Session<'_>, tool: &ToolSpec) -> bool {
    let known = Named::of(tool).tool;
    match tool.include {
        Include::Always | Include::Agent => true,
        Include::Manual => session.included.iter().any(|name| *name == tool.name || name == known),
    }
}
