//! What is to be done with a call.

use super::{
    arguments::Arguments,
    word::{Named, Word, word},
};
use baton_types::{AskWhen, Effects, Include, Json, Permission, ToolPolicy, ToolSpec};

const DENIED: &str = "the agent's permissions deny it; do without it, or use another tool";
const ARGUMENTS_DENIED: &str = "the agent's permissions deny calls with such arguments; other arguments may be allowed";
const NOBODY_TO_ASK: &str = "somebody would have to allow it, and in this session nobody can be asked; do without it, \
                             or use another tool";
const NOT_ALONE: &str = "an agent that works alone cannot change itself or its session; do without it, or use another \
                         tool, and say in the answer what should be changed";
const NOT_NAMED: &str = "it is used only in sessions for which somebody named it; do without it, or use another tool";

/// The circumstances in which a tool would run.
#[derive(Clone, Copy, Debug)]
pub struct Session<'a> {
    /// Whether nobody is there to be asked.
    pub autonomous: bool,
    /// When somebody is asked.
    pub ask: AskWhen,
    /// Tools that somebody named for this session, by the name that models use or the one that their server knows.
    pub included: &'a [String],
}

/// What is to be done with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It runs.
    Run,
    /// Somebody is asked first.
    Ask,
    /// It does not run; the reason is for the model, and goes on from "because".
    Deny(&'static str),
}

/// What is to be done with a call; without arguments, with a call of which nothing is known. `granted` is whether
/// somebody allowed the tool for this session; where nobody is asked nobody can have done that.
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

/// What a session makes of a word.
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

/// Whether the tool would change an agent that nobody watches, whatever its definition allows: what it is made of stays
/// as people left it.
pub(super) fn changes_itself_alone(session: &Session<'_>, tool: &ToolSpec) -> bool {
    session.autonomous && tool.effects == Effects::OwnAgent
}

/// Whether the tool is part of the session. One that is there when it has to do with what is asked counts as such.
pub(super) fn is_named(session: &Session<'_>, tool: &ToolSpec) -> bool {
    let known = Named::of(tool).tool;
    match tool.include {
        Include::Always | Include::Agent => true,
        Include::Manual => session.included.iter().any(|name| *name == tool.name || name == known),
    }
}
