//! Handoff state machine, and permission checks for handoffs.

use baton_types::{
    AgentListing, AgentName, AgentSpec, ChannelReason, Handoff, HandoffChannel, HandoffEvent, HandoffStatus, Json,
    ParentLink,
};
use serde::{Deserialize, Serialize};

/// Folded state of a handoff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandoffRecord {
    /// Handoff as created.
    pub handoff: Handoff,
    /// Status.
    pub status: HandoffStatus,
    /// Result.
    pub result: Option<Json>,
    /// Error of a handoff that did not complete.
    pub error: Option<String>,
    /// Trace id of the work.
    pub result_trace_id: Option<String>,
    /// Model that answered instead of the receiver, before the channel changed.
    #[serde(default)]
    pub answered_model: Option<String>,
    /// Number of the last event.
    pub version: u64,
}

/// Error for an illegal transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a handoff that is {} cannot become {}", from.as_str(), to.as_str())]
pub struct IllegalHandoffTransition {
    /// Current status.
    pub from: HandoffStatus,
    /// Requested status.
    pub to: HandoffStatus,
}

/// Transition table.
pub fn is_legal_transition(from: HandoffStatus, to: HandoffStatus) -> bool {
    use HandoffStatus::{
        Accepted, Cancelled, Completed, Failed, InProgress, InputRequired, Pending, Rejected, Timeout,
    };
    match from {
        Pending => matches!(to, Accepted | Rejected | Cancelled | Timeout),
        Accepted => matches!(to, InProgress | Rejected | Failed | Cancelled | Timeout),
        InProgress => matches!(to, InputRequired | Completed | Failed | Cancelled | Timeout),
        InputRequired => matches!(to, InProgress | Completed | Failed | Cancelled | Timeout),
        Completed | Failed | Timeout | Cancelled | Rejected => false,
    }
}

impl HandoffRecord {
    /// Creates the record of a new handoff.
    pub fn new(handoff: Handoff) -> Self {
        Self {
            handoff,
            status: HandoffStatus::Pending,
            result: None,
            error: None,
            result_trace_id: None,
            answered_model: None,
            version: 1,
        }
    }

    /// Folds stored events.
    pub fn fold<'a>(
        events: impl IntoIterator<Item = &'a HandoffEvent>,
    ) -> Option<Result<Self, IllegalHandoffTransition>> {
        let mut events = events.into_iter();
        let HandoffEvent::Created(handoff) = events.next()? else { return None };
        let mut record = Self::new((**handoff).clone());
        for event in events {
            if let Err(illegal) = record.apply(event) {
                return Some(Err(illegal));
            }
        }
        Some(Ok(record))
    }

    /// Applies the next event; on error nothing has changed.
    pub fn apply(&mut self, event: &HandoffEvent) -> Result<(), IllegalHandoffTransition> {
        let (to, result, error, result_trace_id) = match event {
            HandoffEvent::StatusChanged { to, result, error, result_trace_id } => (to, result, error, result_trace_id),
            HandoffEvent::Rerouted { channel, reason, model } => return self.reroute(*channel, *reason, model),
            HandoffEvent::Created(_) => {
                return Err(IllegalHandoffTransition { from: self.status, to: HandoffStatus::Pending });
            }
        };
        if !is_legal_transition(self.status, *to) {
            return Err(IllegalHandoffTransition { from: self.status, to: *to });
        }
        self.status = *to;
        self.result.clone_from(result);
        self.error.clone_from(error);
        self.result_trace_id.clone_from(result_trace_id);
        self.version += 1;
        Ok(())
    }
}

impl HandoffRecord {
    /// Changes the channel; legal only while in progress, and only to a different channel.
    fn reroute(
        &mut self,
        channel: HandoffChannel,
        reason: ChannelReason,
        model: &Option<String>,
    ) -> Result<(), IllegalHandoffTransition> {
        if self.status != HandoffStatus::InProgress || self.handoff.channel == channel {
            return Err(IllegalHandoffTransition { from: self.status, to: self.status });
        }
        self.handoff.channel = channel;
        self.handoff.channel_reason = Some(reason);
        self.answered_model.clone_from(model);
        self.version += 1;
        Ok(())
    }
}

/// Reason why a handoff is refused; reported to the model, which may choose another action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandoffRejection {
    /// The target is not on the list of the agent.
    #[error("agent '{from}' may not hand work to '{to}'; allowed agents: {allowed}")]
    NotAllowed {
        /// Sender.
        from: AgentName,
        /// Target.
        to: AgentName,
        /// Allowed targets.
        allowed: String,
    },
    /// The sender is remote, and no local list permits the target.
    #[error(
        "'{from}' is a remote agent, so it may hand work to '{to}' only if the first agent of the chain is local and \
         lists '{to}' under `handoffs`"
    )]
    RemoteSender {
        /// Sender.
        from: AgentName,
        /// Target.
        to: AgentName,
    },
    /// The target already waits for this work.
    #[error("'{to}' already waits for this work ({chain}); handing it back would create a cycle")]
    Cycle {
        /// Target.
        to: AgentName,
        /// Agents from the first to the sender.
        chain: String,
    },
    /// The chain is too long.
    #[error("the work was handed over {depth} times already; {limit} is the limit")]
    TooDeep {
        /// Number of handoffs.
        depth: usize,
        /// Maximum number of handoffs.
        limit: usize,
    },
}

/// Number of handoffs of work with this chain.
pub fn handoff_depth(chain: &[AgentName], earlier: u32) -> usize {
    chain.len().saturating_add(usize::try_from(earlier).unwrap_or(usize::MAX))
}

/// Checks whether `from` may hand work to `to`, and returns the chain of the child. An agent without a list, or with
/// orchestration, may use every agent of its Baton. `earlier` is the number of handoffs before the work arrived from
/// another system.
///
/// A handoff requested by a remote agent uses the credentials of this Baton. Only the list of `first_local_agent`, the
/// local agent at the start of the chain, permits it: without such an agent or with an empty list it is refused.
pub fn admit_handoff(
    from: &AgentSpec,
    first_local_agent: Option<&AgentSpec>,
    parent: Option<&ParentLink>,
    earlier: u32,
    to: &AgentName,
    max_depth: usize,
) -> Result<Vec<AgentName>, HandoffRejection> {
    let mut chain: Vec<AgentName> = parent.map(|link| link.chain.clone()).unwrap_or_default();
    chain.push(from.name.clone());
    let join_names =
        |names: &[AgentName], join: &str| names.iter().map(AgentName::as_str).collect::<Vec<_>>().join(join);
    if chain.contains(to) {
        return Err(HandoffRejection::Cycle { to: to.clone(), chain: join_names(&chain, " -> ") });
    }
    if from.is_peer() {
        let lists = |agent: &AgentSpec| agent.handoffs.iter().any(|target| target.agent == *to);
        if !first_local_agent.is_some_and(|agent| !agent.is_peer() && lists(agent)) {
            return Err(HandoffRejection::RemoteSender { from: from.name.clone(), to: to.clone() });
        }
    }
    let allowed: Vec<AgentName> = from.handoffs.iter().map(|target| target.agent.clone()).collect();
    if from.orchestration.is_none() && !(from.enable_handoff && (allowed.is_empty() || allowed.contains(to))) {
        let allowed = if allowed.is_empty() { "none".to_owned() } else { join_names(&allowed, ", ") };
        return Err(HandoffRejection::NotAllowed { from: from.name.clone(), to: to.clone(), allowed });
    }
    let depth = handoff_depth(&chain, earlier);
    if depth > max_depth {
        return Err(HandoffRejection::TooDeep { depth: depth - 1, limit: max_depth });
    }
    Ok(chain)
}

/// Resolves the target of a handoff: a name, an address in the definition, the address of a known remote agent, or a
/// URL whose path names an agent of this Baton.
pub fn resolve_handoff_target<'a>(
    from: &AgentSpec,
    agents: impl IntoIterator<Item = &'a AgentListing>,
    uri: &str,
) -> AgentName {
    let trimmed = |url: &str| url.trim_end_matches('/').to_owned();
    let same = |url: &str| trimmed(url) == trimmed(uri);
    if let Some(target) = from.handoffs.iter().find(|target| target.url.as_deref().is_some_and(same)) {
        return target.agent.clone();
    }
    if let Some(peer) = agents.into_iter().find(|agent| agent.address.as_deref().is_some_and(same)) {
        return peer.name.clone();
    }
    let path = uri.trim_end_matches('/');
    let path = path.strip_suffix("/a2a").unwrap_or(path);
    let here = ["http://localhost", "http://127.0.0.1", "http://[::1]"].iter().any(|local| path.starts_with(local));
    match path.rsplit_once("/agents/") {
        Some((before, name)) if here || !before.contains("://") => AgentName::from(name),
        _ => AgentName::from(path),
    }
}
