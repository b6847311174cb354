//! Legal transitions of a task.

use crate::{
    CallStage, CallState, PeerDispatch, PeerTaskRef, PendingHandoff, REPLY_MESSAGE_TOOL, RunState, TaskRecord,
    in_doubt::allows_another_run, is_in_doubt, tool_parts::results_message, visibility::is_visible_to_caller,
};
use baton_types::{
    Artifact, CallId, Message, MessageId, QuestionKind, ReasoningBlock, RunId, SessionGrant, TaskEvent, TaskId,
    TaskState, Timestamp, ToolResult, Usage,
};

/// Error for an event that is illegal in the current state; the state is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalTransition {
    /// The first event must be `Submitted`, and only the first.
    #[error("a task must start with exactly one submission")]
    Beginning,
    /// The task has ended.
    #[error("the task has ended as {}", .0.as_str())]
    Ended(TaskState),
    /// No run is in progress, or a different one.
    #[error("this requires the run in progress")]
    NoRun,
    /// A run is in progress already.
    #[error("a run is already in progress")]
    RunInProgress,
    /// Tool calls without results.
    #[error("tool calls are missing results")]
    OpenCalls,
    /// The model call is in another phase.
    #[error("the model call is in the wrong phase")]
    Attempt,
    /// The call is unknown or already past this stage stage.
    #[error("call '{0}' is unknown or already past this stage")]
    Call(CallId),
    /// Illegal state transition.
    #[error("{} cannot become {}", from.as_str(), to.as_str())]
    State {
        /// Current state.
        from: TaskState,
        /// Requested state.
        to: TaskState,
    },
}

fn asks_approval(stage: &CallStage) -> bool {
    let CallStage::Asked(request) = stage else { return false };
    request.questions.iter().any(|question| question.wants == QuestionKind::Approval)
}

impl TaskRecord {
    /// Creates the task from its submission.
    pub fn from_submission(id: TaskId, at: Timestamp, event: &TaskEvent) -> Result<Self, IllegalTransition> {
        let TaskEvent::Submitted { context, agent, message, tool_execution, parent, depth, autonomous } = event else {
            return Err(IllegalTransition::Beginning);
        };
        Ok(Self {
            id,
            context: context.clone(),
            agent: agent.clone(),
            state: TaskState::Submitted,
            status_message: None,
            status_at: at,
            created_at: at,
            history: vec![message.clone()],
            waiting: Vec::new(),
            artifacts: Vec::new(),
            version: 1,
            generation: 1,
            tool_execution: *tool_execution,
            parent: parent.clone(),
            depth: *depth,
            peer: None,
            calls: Vec::new(),
            run: None,
            usage: Usage::default(),
            tool_calls: 0,
            reasoning: Vec::new(),
            compaction: None,
            autonomous: *autonomous,
            grants: Vec::new(),
            request: None,
            repair: None,
            wishes: None,
            checked: None,
        })
    }

    /// Applies the next event; on error nothing has changed.
    pub fn apply(&mut self, at: Timestamp, event: &TaskEvent) -> Result<(), IllegalTransition> {
        if self.state.is_terminal() {
            return Err(IllegalTransition::Ended(self.state));
        }
        let repeats = self.is_repeat(event);
        match event {
            TaskEvent::Submitted { .. } => return Err(IllegalTransition::Beginning),
            TaskEvent::MessageReceived { message, results } => self.receive_message(message, results)?,
            TaskEvent::RunStarted { run, agent, deadline, autonomous } => {
                self.start_run(RunState {
                    id: run.clone(),
                    agent: agent.clone(),
                    deadline: *deadline,
                    turn: 0,
                    attempt: 0,
                    open: None,
                    asked: None,
                    answered: false,
                    last_progress: 0,
                    crashes: 0,
                    alone: 0,
                    begun: 0,
                    failures: Default::default(),
                })?;
                self.autonomous |= autonomous;
                self.status_at = at;
            }
            TaskEvent::RunResumed { run, after, isolated } => {
                return self.record_resumption(run, *after, *isolated);
            }
            TaskEvent::RunPaused { run } => {
                self.current_run(run)?;
            }
            TaskEvent::RunOptionsSet { options } => self.wishes = Some(self.merge_run_options(options)),
            TaskEvent::TextFlushed { message, .. } => {
                let open = self.run.as_ref().and_then(|run| run.open.as_ref());
                open.filter(|open| *open == message).ok_or(IllegalTransition::Attempt)?;
            }
            TaskEvent::ModelNoted { note } => self.apply_note(note),
            TaskEvent::GuardrailChecked { stage, call, message, content, .. } => {
                self.apply_verdict(*stage, call.as_ref(), message.as_ref(), content.as_ref());
            }
            TaskEvent::ReasoningProduced { message, reasoning } => self.record_reasoning(message, reasoning),
            TaskEvent::Compacted { compaction } => {
                self.add_usage(compaction.usage);
                self.compaction = Some(compaction.clone());
            }
            TaskEvent::AttemptStarted { message, turn, attempt } => {
                self.attempt_may_start(*turn, *attempt)?;
                // A remote agent has received the whole history; later messages wait for its next turn.
                if self.run.as_ref().is_none_or(|run| run.asked.is_none()) {
                    self.history.append(&mut self.waiting);
                }
                self.calls.clear();
                let run = self.run.as_mut().ok_or(IllegalTransition::NoRun)?;
                (run.turn, run.attempt, run.open, run.answered) = (*turn, *attempt, Some(message.clone()), false);
            }
            TaskEvent::ToolsCalled { message, calls, usage } => {
                if let Some(id) = find_duplicate(calls.iter().map(|call| &call.id)) {
                    return Err(IllegalTransition::Call(id.clone()));
                }
                // A remote agent that delegates its tools waits for their results in the same remote task.
                let peer = self.peer.clone();
                self.close_attempt()?;
                self.peer = peer;
                self.tool_calls = self.tool_calls.saturating_add(calls.len() as u64);
                self.calls = calls.iter().cloned().map(CallState::pending).collect();
                self.history.push(message.clone());
                self.add_usage(*usage);
            }
            TaskEvent::ToolStarted { call, effects, .. } => {
                let begins = |stage: &CallStage| matches!(stage, CallStage::Pending | CallStage::Started);
                self.advance(call, begins, CallStage::Started)?.effects = *effects;
                self.count_call(repeats);
            }
            TaskEvent::ToolInputRequested { call, ask: request } => {
                let may_ask = |stage: &CallStage| matches!(stage, CallStage::Pending | CallStage::Started);
                self.advance(call, may_ask, CallStage::Asked(request.clone()))?;
            }
            TaskEvent::ToolInputReceived { call, answers } if self.is_call_in_doubt(call) => {
                if !allows_another_run(answers) {
                    return Err(IllegalTransition::Call(call.clone()));
                }
                // The answer concerns the call; earlier answers to the tool remain valid.
                self.set_stage(call, |_| true, CallStage::Pending)?.effects = None;
            }
            TaskEvent::ToolInputReceived { call, answers } => {
                // A question of the tool is never an approval, whatever its key.
                let is_approval = self.call(call).is_some_and(|state| asks_approval(&state.stage));
                // Answers arrive while no run is in progress.
                let state = self.set_stage(call, CallStage::is_asked, CallStage::Pending)?;
                match answers.approval().filter(|_| is_approval) {
                    Some(approved) => state.approved = Some(approved),
                    None => state.answers = Some(answers.clone()),
                }
                if is_approval && answers.is_for_session() {
                    let tool = state.call.name.clone();
                    self.grants.push(SessionGrant { agent: self.agent.clone(), tool });
                }
            }
            TaskEvent::ToolFinished { result } => {
                self.advance(&result.call, |stage| !stage.is_finished(), CallStage::Finished(result.clone()))?;
                self.count_failure(result);
                self.append_own_results();
            }
            TaskEvent::HandoffSent { call, handoff, child, deadline, .. } => {
                let (handoff, child) = (handoff.clone(), child.clone());
                let pending = PendingHandoff { handoff, child, deadline: *deadline, asked: None, answer: None };
                self.advance(call, |stage| matches!(stage, CallStage::Pending), CallStage::HandedOff(pending))?;
                self.count_call(false);
            }
            TaskEvent::HandoffInputRequested { call, message } => {
                self.run.as_ref().ok_or(IllegalTransition::NoRun)?;
                let pending = self.pending_handoff_mut(call)?;
                (pending.asked, pending.answer) = (Some((message.clone(), at)), None);
            }
            TaskEvent::HandoffInputReceived { call, message, deadline, grants } => {
                let pending = self.pending_handoff_mut(call)?;
                if pending.asked.take().is_none() {
                    return Err(IllegalTransition::Call(call.clone()));
                }
                (pending.answer, pending.deadline) = (message.clone(), *deadline);
                self.grants.extend(grants.iter().cloned());
            }
            TaskEvent::ContextSelected { message, request, .. } => {
                self.run.as_ref().ok_or(IllegalTransition::NoRun)?;
                self.request = Some((message.clone(), request.clone()));
            }
            TaskEvent::PeerSendStarted { message } => {
                let run = self.run.as_mut().filter(|run| run.open.is_some()).ok_or(IllegalTransition::Attempt)?;
                if run.asked.is_some() {
                    return Err(IllegalTransition::Attempt);
                }
                run.asked = Some(PeerDispatch { message: message.clone(), taken: false });
            }
            TaskEvent::PeerAttached { task, context } => {
                let dispatch =
                    self.run.as_mut().and_then(|run| run.asked.as_mut()).ok_or(IllegalTransition::Attempt)?;
                dispatch.taken = true;
                self.peer = Some(PeerTaskRef { task: Some(task.clone()), context: context.clone() });
            }
            TaskEvent::ArtifactEmitted { artifact } => {
                self.run.as_ref().ok_or(IllegalTransition::NoRun)?;
                self.put_artifact(artifact);
            }
            TaskEvent::Answered { message, usage } => {
                self.close_attempt()?.answered = true;
                self.put_artifact(&Artifact::from_answer(message));
                self.history.push(message.clone());
                self.add_usage(*usage);
            }
            TaskEvent::StatusChanged { state, message, .. } => {
                self.change_status(*state, message.as_ref())?;
                self.status_at = at;
            }
        }
        self.version += 1;
        self.generation += u64::from(is_visible_to_caller(self.autonomous, event));
        if let Some(run) = &mut self.run
            && !repeats
        {
            (run.last_progress, run.crashes, run.alone) = (self.version, 0, 0);
        }
        Ok(())
    }

    /// Whether the event only repeats an earlier start. This is not progress; otherwise a tool or model call that
    /// crashes the process would be retried forever.
    fn is_repeat(&self, event: &TaskEvent) -> bool {
        match event {
            TaskEvent::AttemptStarted { attempt, .. } => *attempt > 1,
            TaskEvent::TextFlushed { .. } => true,
            TaskEvent::ToolStarted { call, .. } => {
                self.call(call).is_some_and(|state| state.stage == CallStage::Started)
            }
            _ => false,
        }
    }

    fn is_call_in_doubt(&self, call: &CallId) -> bool {
        self.call(call).is_some_and(|state| is_in_doubt(self, state))
    }

    fn count_call(&mut self, is_repeat: bool) {
        if let Some(run) = self.run.as_mut().filter(|_| !is_repeat) {
            run.begun = run.begun.saturating_add(1);
        }
    }

    fn receive_message(&mut self, message: &Message, results: &[ToolResult]) -> Result<(), IllegalTransition> {
        let is_open = |id: &CallId| self.call(id).is_some_and(|state| !state.stage.is_finished());
        let calls = results.iter().map(|result| &result.call);
        if let Some(id) = calls.clone().find(|id| !is_open(id)).or_else(|| find_duplicate(calls)) {
            return Err(IllegalTransition::Call(id.clone()));
        }
        for result in results {
            if let Some(state) = self.calls.iter_mut().find(|state| state.call.id == result.call) {
                state.stage = CallStage::Finished(result.clone());
            }
        }
        if results.is_empty() {
            self.waiting.push(message.clone());
        } else {
            self.history.push(message.clone());
            self.append_own_results();
        }
        Ok(())
    }

    fn start_run(&mut self, run: RunState) -> Result<(), IllegalTransition> {
        if self.run.is_some() {
            return Err(IllegalTransition::RunInProgress);
        }
        self.state = TaskState::Working;
        self.status_message = None;
        self.run = Some(run);
        Ok(())
    }

    /// A resumption is not progress: it counts toward the crash limit.
    fn record_resumption(&mut self, run: &RunId, after: u64, isolated: bool) -> Result<(), IllegalTransition> {
        let run = self.current_run(run)?;
        let (crashes, before) = if after == run.last_progress { (run.crashes, run.alone) } else { (0, 0) };
        (run.crashes, run.alone) = (crashes.saturating_add(1), before.saturating_add(u32::from(isolated)));
        self.version += 1;
        Ok(())
    }

    fn current_run(&mut self, id: &RunId) -> Result<&mut RunState, IllegalTransition> {
        self.run.as_mut().filter(|run| run.id == *id).ok_or(IllegalTransition::NoRun)
    }

    fn attempt_may_start(&self, turn: u32, attempt: u32) -> Result<(), IllegalTransition> {
        let run = self.run.as_ref().ok_or(IllegalTransition::NoRun)?;
        if self.open_calls().next().is_some() {
            return Err(IllegalTransition::OpenCalls);
        }
        let retry = run.open.is_some() && turn == run.turn && attempt == run.attempt + 1;
        let next = run.open.is_none() && turn == run.turn + 1 && attempt == 1;
        if retry || next { Ok(()) } else { Err(IllegalTransition::Attempt) }
    }

    fn close_attempt(&mut self) -> Result<&mut RunState, IllegalTransition> {
        self.repair = None;
        let run = self.run.as_mut().ok_or(IllegalTransition::NoRun)?;
        match run.open.take() {
            Some(_) => {
                // The remote task is finished; a further message starts another task in the same remote conversation.
                if run.asked.take().is_some()
                    && let Some(peer) = &mut self.peer
                {
                    peer.task = None;
                }
                Ok(run)
            }
            None => Err(IllegalTransition::Attempt),
        }
    }

    fn advance(
        &mut self,
        id: &CallId,
        is_legal: impl Fn(&CallStage) -> bool,
        to: CallStage,
    ) -> Result<&mut CallState, IllegalTransition> {
        self.run.as_ref().ok_or(IllegalTransition::NoRun)?;
        self.set_stage(id, is_legal, to)
    }

    fn set_stage(
        &mut self,
        id: &CallId,
        is_legal: impl Fn(&CallStage) -> bool,
        to: CallStage,
    ) -> Result<&mut CallState, IllegalTransition> {
        match self.calls.iter_mut().find(|state| state.call.id == *id) {
            Some(state) if is_legal(&state.stage) => {
                state.stage = to;
                Ok(state)
            }
            _ => Err(IllegalTransition::Call(id.clone())),
        }
    }

    fn pending_handoff_mut(&mut self, id: &CallId) -> Result<&mut PendingHandoff, IllegalTransition> {
        let state = self.calls.iter_mut().find(|state| state.call.id == *id);
        match state.map(|state| &mut state.stage) {
            Some(CallStage::HandedOff(pending)) => Ok(pending),
            _ => Err(IllegalTransition::Call(id.clone())),
        }
    }

    /// Adds the results of the agent's own tools to the history as one message, in the format of a caller's message.
    /// Results from the caller are in the history already.
    fn append_own_results(&mut self) {
        if self.open_calls().next().is_some() {
            return;
        }
        let own = self.own_results();
        if let Some(message) = results_message(self, &own) {
            self.history.push(message);
        }
    }

    fn own_results(&self) -> Vec<ToolResult> {
        let reported: Vec<CallId> = self
            .history
            .iter()
            .rev()
            .take_while(|message| message.role == baton_types::Role::User)
            .flat_map(|message| crate::parse_tool_results(message).unwrap_or_default())
            .map(|result| result.call)
            .collect();
        self.calls
            .iter()
            .filter_map(|state| match &state.stage {
                CallStage::Finished(result) if !reported.contains(&result.call) => Some(result.clone()),
                _ => None,
            })
            .collect()
    }

    fn put_artifact(&mut self, artifact: &Artifact) {
        match self.artifacts.iter_mut().find(|old| old.id == artifact.id) {
            Some(old) => *old = artifact.clone(),
            None => self.artifacts.push(artifact.clone()),
        }
    }

    /// Stores reasoning for the next model call; a repeated attempt replaces it.
    fn record_reasoning(&mut self, message: &MessageId, reasoning: &ReasoningBlock) {
        self.reasoning.retain(|(known, _)| known != message);
        self.reasoning.push((message.clone(), reasoning.clone()));
    }

    pub(crate) fn add_usage(&mut self, usage: Usage) {
        self.usage = self.usage.plus(usage);
    }

    fn change_status(&mut self, to: TaskState, message: Option<&Message>) -> Result<(), IllegalTransition> {
        let legal = match to {
            TaskState::Submitted | TaskState::Working => false,
            TaskState::Completed if message.is_some_and(|reply| reply.task.is_none()) => self.may_reply(),
            TaskState::Completed => {
                self.run.as_ref().is_some_and(|run| run.answered && run.open.is_none())
                    && self.open_calls().next().is_none()
                    && self.waiting.is_empty()
            }
            TaskState::InputRequired | TaskState::AuthRequired => self.state != TaskState::Submitted,
            TaskState::Failed | TaskState::Canceled | TaskState::Rejected => true,
        };
        if !legal {
            return Err(IllegalTransition::State { from: self.state, to });
        }
        let is_remote_question = to.is_interrupted() && self.run.as_ref().is_some_and(RunState::is_request_delivered);
        if is_remote_question {
            // Question of a remote agent: messages after it are not yet delivered to that agent.
            self.history.extend(message.cloned());
        }
        self.state = to;
        self.status_message = message.cloned();
        self.run = None;
        Ok(())
    }
}

impl TaskRecord {
    /// Whether a bare message may end the task: the model must have called the reply tool. Its other calls are
    /// discarded.
    fn may_reply(&self) -> bool {
        self.run.is_some() && self.calls.iter().any(|state| state.call.name == REPLY_MESSAGE_TOOL)
    }
}

/// Finds a duplicate. Results are addressed by call id, so ids must be unique within a turn.
fn find_duplicate<'a>(mut ids: impl Iterator<Item = &'a CallId>) -> Option<&'a CallId> {
    let mut seen = std::collections::BTreeSet::new();
    ids.find(|id| !seen.insert(*id))
}
