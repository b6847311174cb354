//! Selects the context of a request (rules, references and tools) once per caller message. The selection is recorded
//! before the model call.

use super::{Driver, Halt, current_request::CurrentRequest};
use crate::relevance::{Relevance, RelevanceCandidate};
use baton_relevance::SelectedEntry;
use baton_rules::{
    RelevantItem, SessionItem, SessionRecord, SessionToolSettings, mentions, relevance_candidates, request_context,
    session_items,
};
use baton_types::{
    AgentSpec, InclusionMode, ItemKind, ItemName, RelevanceLimits, RequestContext, SessionEvent, TaskEvent, ToolRunner,
    ToolSpec,
};
use std::sync::{Arc, atomic::Ordering};

/// Context selected for a request.
struct ContextSelection {
    request: RequestContext,
    warning: Option<String>,
    /// Whether there were candidates, so that an empty selection is meaningful.
    had_candidates: bool,
}

/// Items mentioned in this task.
struct MentionedItems {
    /// Known items of the current request, then those of earlier messages.
    current: Vec<ItemName>,
    earlier: Vec<ItemName>,
    /// Unknown items, as written.
    unknown: Vec<String>,
}

impl Driver {
    /// Current settings for the tools of the task.
    pub(super) fn settings(&self, spec: &AgentSpec) -> SessionToolSettings {
        let settings = SessionToolSettings::from_task(&self.live.lock().task, spec);
        match &*self.session.lock() {
            Some(record) => settings.with_record(record),
            None => settings,
        }
    }

    /// Loads the session record. The first call uses the copy read when the run was pinned; the journal is read again
    /// only after a change or a crash.
    pub(super) async fn load_session(&self) -> Result<Option<Arc<SessionRecord>>, Halt> {
        let is_reload = self.session_loaded.swap(true, Ordering::Relaxed);
        let (agent, context) = {
            let mut cell = self.live.lock();
            if let Some(read) = cell.session.take().filter(|_| !is_reload) {
                self.session.lock().clone_from(&read);
                return Ok(read);
            }
            (cell.task.agent.clone(), cell.task.context.clone())
        };
        self.flush();
        let record = self.inner.session_record(&self.live.owner, &agent, &context).await?.map(Arc::new);
        self.session.lock().clone_from(&record);
        Ok(record)
    }

    /// Ensures that the context of the last caller message is selected. `tools` are all available tools.
    pub(super) async fn choose_context(&self, spec: &AgentSpec, tools: &[ToolSpec]) -> Result<(), Halt> {
        let knowledge = &spec.knowledge;
        let selects_tools = tools.iter().any(|tool| tool.include == InclusionMode::Agent);
        if knowledge.rules.is_empty() && knowledge.references.is_empty() && !selects_tools {
            return Ok(());
        }
        Box::pin(self.select_context(spec, tools)).await
    }

    async fn select_context(&self, spec: &AgentSpec, tools: &[ToolSpec]) -> Result<(), Halt> {
        let (current_request, named, is_first, is_chosen) = {
            let task = &self.live.lock().task;
            let Some(current_request) = CurrentRequest::from_history(task.model_history()) else { return Ok(()) };
            let is_chosen = task.request.as_ref().is_some_and(|(message, _)| *message == current_request.message);
            let named = MentionedItems::from_request(&current_request, spec);
            (current_request, named, task.request.is_none(), is_chosen)
        };
        if is_chosen {
            return self.include_answers(spec, &current_request.answers).await;
        }
        let mut record = match is_first {
            true => self.session.lock().clone(),
            false => self.load_session().await?,
        };
        if !named.current.is_empty() {
            record = self.include_items(spec, &named.current, record).await?;
        }
        let found = self.find_context(spec, tools, &current_request, &named, record.as_deref()).await?;
        if found.request.items.is_empty() && found.warning.is_none() && !found.had_candidates && is_first {
            return Ok(());
        }
        if let Some(warning) = &found.warning {
            tracing::warn!(task = %self.live.id, agent = %spec.name, warning, "items that a request names or needs are missing");
        }
        let ContextSelection { request, warning, .. } = found;
        self.buffer_events(|_| vec![TaskEvent::ContextSelected { message: current_request.message, request, warning }])
    }

    /// Items mentioned in an answer to a question are added to the session and to the next selection, unless they are
    /// excluded from the session.
    async fn include_answers(&self, spec: &AgentSpec, answers: &str) -> Result<(), Halt> {
        let record = self.session.lock().clone();
        let is_excluded =
            |item: &ItemName| record.as_ref().is_some_and(|record| record.excludes(item.kind, &item.name));
        let known_mentions = mentions(answers).into_iter().filter(|mention| mention.is_known(&spec.knowledge));
        let named: Vec<ItemName> =
            known_mentions.map(|mention| mention.item()).filter(|item| !is_excluded(item)).collect();
        if !named.is_empty() {
            self.include_items(spec, &named, record.clone()).await?;
        }
        Ok(())
    }

    /// Adds mentioned items to the session. An autonomous task has no session memory.
    async fn include_items(
        &self,
        spec: &AgentSpec,
        named: &[ItemName],
        record: Option<Arc<SessionRecord>>,
    ) -> Result<Option<Arc<SessionRecord>>, Halt> {
        let missing = |record: Option<&SessionRecord>, item: &ItemName| {
            record.is_none_or(|record| !record.includes(item.kind, &item.name))
        };
        if self.settings(spec).autonomous || !named.iter().any(|item| missing(record.as_deref(), item)) {
            return Ok(record);
        }
        let (agent, context) = {
            let task = &self.live.lock().task;
            (task.agent.clone(), task.context.clone())
        };
        self.flush();
        let events = |record: Option<&SessionRecord>| {
            let new = named.iter().filter(|item| missing(record, item));
            new.map(|item| SessionEvent::Included { item: item.clone() }).collect()
        };
        let record = self.inner.update_session(&self.live.owner, &agent, &context, events).await?.map(Arc::new);
        self.session.lock().clone_from(&record);
        Ok(record)
    }

    async fn find_context(
        &self,
        spec: &AgentSpec,
        tools: &[ToolSpec],
        current_request: &CurrentRequest,
        named: &MentionedItems,
        record: Option<&SessionRecord>,
    ) -> Result<ContextSelection, Halt> {
        let knowledge = &spec.knowledge;
        let remaining = named.earlier.iter().filter(|item| {
            record.is_none_or(|record| !record.excludes(item.kind, &item.name)) && !named.current.contains(item)
        });
        let names: Vec<ItemName> = remaining.chain(&named.current).cloned().collect();
        let in_session = |kind| session_items(knowledge, kind, record, &names);
        let (references, rules) = (in_session(ItemKind::Reference), in_session(ItemKind::Rule));
        let settings = SessionToolSettings { chosen: Some(Vec::new()), ..self.settings(spec) };
        let own = || tools.iter().filter(|tool| tool.runner != ToolRunner::BuiltIn);
        let mut candidates = Vec::new();
        for (kind, session) in [(ItemKind::Reference, &references), (ItemKind::Rule, &rules)] {
            let items = relevance_candidates(knowledge, kind, record, session);
            candidates.extend(items.into_iter().map(|item| RelevanceCandidate::Item(kind, item)));
        }
        candidates.extend(own().filter(|tool| settings.exclusion_reason(tool).is_some()).map(RelevanceCandidate::Tool));
        let mut warnings = Vec::from_iter(named.warning());
        let relevant = match self.relevant(spec, &current_request.text, &candidates).await? {
            Ok(relevant) => relevant,
            Err(reason) => {
                warnings.push(format!("relevant items could not be selected: {reason}"));
                Vec::new()
            }
        };
        let is_selected = |tool: &&ToolSpec| {
            let is_relevant = |item: &RelevantItem| item.kind == ItemKind::Tool && item.name == tool.name;
            settings.exclusion_reason(tool).is_none() || relevant.iter().any(is_relevant)
        };
        let had_candidates = !candidates.is_empty();
        let selected = own().filter(is_selected).filter(|_| had_candidates || has_any(&references, &rules));
        let request = request_context(&references, &rules, &relevant, selected);
        Ok(ContextSelection { request, warning: (!warnings.is_empty()).then(|| warnings.join("; ")), had_candidates })
    }

    /// Candidates relevant to the question, most relevant first; the inner error says why none could be selected.
    async fn relevant(
        &self,
        spec: &AgentSpec,
        question: &str,
        candidates: &[RelevanceCandidate<'_>],
    ) -> Result<Result<Vec<RelevantItem>, String>, Halt> {
        let limits: RelevanceLimits = spec.knowledge.relevance;
        let relevance = &self.inner.relevance;
        let chosen: Result<Vec<SelectedEntry>, String> = match relevance.vectors() {
            _ if candidates.is_empty() => Ok(Vec::new()),
            None => {
                let digest = self.live.lock().task.run.as_ref().map(|run| run.agent.clone());
                let texts = digest.map(|digest| relevance.texts.get_or_build(spec, &digest)).unwrap_or_default();
                Ok(Relevance::by_words(&texts, question, candidates, limits))
            }
            Some(vectors) => {
                self.flush();
                tokio::select! {
                    biased;
                    () = self.live.cancel.cancelled() => return Err(Halt::Changed),
                    () = self.inner.stopping.cancelled() => return Err(Halt::Stopping),
                    chosen = Relevance::by_vectors(vectors, &spec.name, question, candidates, limits) => chosen,
                    () = self.until_deadline() => return Err(Halt::Changed),
                }
            }
        };
        let item = |chosen: SelectedEntry| {
            let candidate = candidates.get(chosen.entry)?;
            Some(RelevantItem { kind: candidate.kind(), name: candidate.name().to_owned(), score: chosen.score })
        };
        Ok(chosen.map(|chosen| chosen.into_iter().filter_map(item).collect()))
    }
}

fn has_any(references: &[SessionItem<'_>], rules: &[SessionItem<'_>]) -> bool {
    !references.is_empty() || !rules.is_empty()
}

impl MentionedItems {
    fn from_request(request: &CurrentRequest, spec: &AgentSpec) -> Self {
        let (mut current, mut earlier, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        for mention in mentions(&request.text) {
            match mention.is_known(&spec.knowledge) {
                true if current.contains(&mention.item()) => {}
                true => current.push(mention.item()),
                false => unknown.push(request.text[mention.at.clone()].to_owned()),
            }
        }
        for mention in mentions(&request.before).into_iter().filter(|mention| mention.is_known(&spec.knowledge)) {
            earlier.push(mention.item());
        }
        Self { current, earlier, unknown }
    }

    fn warning(&self) -> Option<String> {
        (!self.unknown.is_empty()).then(|| format!("the agent has no {}", self.unknown.join(", ")))
    }
}
