//! What the model is given for a request beside the conversation, chosen once for each message of the caller and
//! written down before the model is asked.

use super::{Driver, Halt, words::Asked};
use crate::relevance::{Candidate, Relevance};
use baton_relevance::Chosen;
use baton_rules::{
    RelevantItem, SessionItem, SessionRecord, SessionSettings, candidates, mentions, request_context, session_items,
};
use baton_types::{
    AgentSpec, Include, ItemKind, ItemName, RelevanceLimits, RequestContext, SessionEvent, TaskEvent, ToolRunner,
    ToolSpec,
};
use std::sync::{Arc, atomic::Ordering};

/// What was found out about a request.
struct Found {
    request: RequestContext,
    warning: Option<String>,
    /// Whether anything could have been chosen, so that an empty choice says something.
    looked: bool,
}

/// What somebody named in this task.
struct Named {
    /// In the words that the request is for, then before them, as far as the agent has it.
    now: Vec<ItemName>,
    before: Vec<ItemName>,
    /// What the agent does not have, as it was written.
    unknown: Vec<String>,
}

impl Driver {
    /// What holds for the tools of the task now.
    pub(super) fn settings(&self, spec: &AgentSpec) -> SessionSettings {
        let settings = SessionSettings::of(&self.live.lock().task, spec);
        match &*self.session.lock() {
            Some(record) => settings.with_record(record),
            None => settings,
        }
    }

    /// Looks at what was said about the conversation as a whole. Whoever pinned the run has read it: a run reads it again
    /// only when more is said in it, or after a crash.
    pub(super) async fn look_at_session(&self) -> Result<Option<Arc<SessionRecord>>, Halt> {
        let again = self.looked.swap(true, Ordering::Relaxed);
        let (agent, context) = {
            let mut cell = self.live.lock();
            if let Some(read) = cell.session.take().filter(|_| !again) {
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

    /// Makes sure that what the model is given for the caller's last words is chosen. `tools` are all that might be.
    pub(super) async fn choose_context(&self, spec: &AgentSpec, tools: &[ToolSpec]) -> Result<(), Halt> {
        let knowledge = &spec.knowledge;
        let chosen_by_words = tools.iter().any(|tool| tool.include == Include::Agent);
        if knowledge.rules.is_empty() && knowledge.references.is_empty() && !chosen_by_words {
            return Ok(());
        }
        let (asked, named, is_first, is_chosen) = {
            let task = &self.live.lock().task;
            let Some(asked) = Asked::of(task.remembered()) else { return Ok(()) };
            let is_chosen = task.request.as_ref().is_some_and(|(message, _)| *message == asked.message);
            let named = Named::of(&asked, spec);
            (asked, named, task.request.is_none(), is_chosen)
        };
        if is_chosen {
            return self.include_answers(spec, &asked.answers).await;
        }
        let mut record = match is_first {
            true => self.session.lock().clone(),
            false => self.look_at_session().await?,
        };
        if !named.now.is_empty() {
            record = self.include(spec, &named.now, record).await?;
        }
        let found = self.find_context(spec, tools, &asked, &named, record.as_deref()).await?;
        if found.request.items.is_empty() && found.warning.is_none() && !found.looked && is_first {
            return Ok(());
        }
        if let Some(warning) = &found.warning {
            tracing::warn!(task = %self.live.id, agent = %spec.name, warning, "not all that a request names or needs is there");
        }
        let Found { request, warning, .. } = found;
        self.hold(|_| vec![TaskEvent::ContextChosen { message: asked.message, request, warning }])
    }

    /// What an answer to a question names is part of the session as well, and of what is chosen for the next message;
    /// unless somebody has taken it out again, which counts for as long as the task goes on.
    async fn include_answers(&self, spec: &AgentSpec, answers: &str) -> Result<(), Halt> {
        let record = self.session.lock().clone();
        let is_out = |item: &ItemName| record.as_ref().is_some_and(|record| record.excludes(item.kind, &item.name));
        let known = mentions(answers).into_iter().filter(|mention| mention.is_known(&spec.knowledge));
        let named: Vec<ItemName> = known.map(|mention| mention.item()).filter(|item| !is_out(item)).collect();
        if !named.is_empty() {
            self.include(spec, &named, record.clone()).await?;
        }
        Ok(())
    }

    /// What somebody names is part of the session from then on; a session in which nobody is there has no memory.
    async fn include(
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
        let say = |record: Option<&SessionRecord>| {
            let new = named.iter().filter(|item| missing(record, item));
            new.map(|item| SessionEvent::Included { item: item.clone() }).collect()
        };
        let record = self.inner.say_about(&self.live.owner, &agent, &context, say).await?.map(Arc::new);
        self.session.lock().clone_from(&record);
        Ok(record)
    }

    async fn find_context(
        &self,
        spec: &AgentSpec,
        tools: &[ToolSpec],
        asked: &Asked,
        named: &Named,
        record: Option<&SessionRecord>,
    ) -> Result<Found, Halt> {
        let knowledge = &spec.knowledge;
        let kept = named.before.iter().filter(|item| {
            record.is_none_or(|record| !record.excludes(item.kind, &item.name)) && !named.now.contains(item)
        });
        let names: Vec<ItemName> = kept.chain(&named.now).cloned().collect();
        let in_session = |kind| session_items(knowledge, kind, record, &names);
        let (references, rules) = (in_session(ItemKind::Reference), in_session(ItemKind::Rule));
        let settings = SessionSettings { chosen: Some(Vec::new()), ..self.settings(spec) };
        let own = || tools.iter().filter(|tool| tool.runner != ToolRunner::BuiltIn);
        let mut of = Vec::new();
        for (kind, there) in [(ItemKind::Reference, &references), (ItemKind::Rule, &rules)] {
            let items = candidates(knowledge, kind, record, there);
            of.extend(items.into_iter().map(|item| Candidate::Item(kind, item)));
        }
        of.extend(own().filter(|tool| settings.leaves_out(tool).is_some()).map(Candidate::Tool));
        let mut warnings = Vec::from_iter(named.warning());
        let relevant = match self.relevant(spec, &asked.text, &of).await? {
            Ok(relevant) => relevant,
            Err(reason) => {
                warnings.push(format!("nothing was chosen by what is asked: {reason}"));
                Vec::new()
            }
        };
        let is_given = |tool: &&ToolSpec| {
            let is_relevant = |item: &RelevantItem| item.kind == ItemKind::Tool && item.name == tool.name;
            settings.leaves_out(tool).is_none() || relevant.iter().any(is_relevant)
        };
        let looked = !of.is_empty();
        let given = own().filter(is_given).filter(|_| looked || has_any(&references, &rules));
        let request = request_context(&references, &rules, &relevant, given);
        Ok(Found { request, warning: (!warnings.is_empty()).then(|| warnings.join("; ")), looked })
    }

    /// Those that have to do with the question, the most relevant first; the error says why they could not be found.
    async fn relevant(
        &self,
        spec: &AgentSpec,
        question: &str,
        of: &[Candidate<'_>],
    ) -> Result<Result<Vec<RelevantItem>, String>, Halt> {
        let limits: RelevanceLimits = spec.knowledge.relevance;
        let relevance = &self.inner.relevance;
        let chosen: Result<Vec<Chosen>, String> = match relevance.vectors() {
            _ if of.is_empty() => Ok(Vec::new()),
            None => {
                let digest = self.live.lock().task.run.as_ref().map(|run| run.agent.clone());
                let texts = digest.map(|digest| relevance.texts.of(spec, &digest)).unwrap_or_default();
                Ok(Relevance::by_words(&texts, question, of, limits))
            }
            Some(vectors) => {
                self.flush();
                tokio::select! {
                    biased;
                    () = self.live.cancel.cancelled() => return Err(Halt::Changed),
                    () = self.inner.stopping.cancelled() => return Err(Halt::Stopping),
                    chosen = Relevance::by_vectors(vectors, &spec.name, question, of, limits) => chosen,
                    () = self.until_deadline() => return Err(Halt::Changed),
                }
            }
        };
        let item = |chosen: Chosen| {
            let candidate = of.get(chosen.entry)?;
            Some(RelevantItem { kind: candidate.kind(), name: candidate.name().to_owned(), score: chosen.score })
        };
        Ok(chosen.map(|chosen| chosen.into_iter().filter_map(item).collect()))
    }
}

fn has_any(references: &[SessionItem<'_>], rules: &[SessionItem<'_>]) -> bool {
    !references.is_empty() || !rules.is_empty()
}

impl Named {
    fn of(asked: &Asked, spec: &AgentSpec) -> Self {
        let (mut now, mut before, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        for mention in mentions(&asked.text) {
            match mention.is_known(&spec.knowledge) {
                true if now.contains(&mention.item()) => {}
                true => now.push(mention.item()),
                false => unknown.push(asked.text[mention.at.clone()].to_owned()),
            }
        }
        for mention in mentions(&asked.before).into_iter().filter(|mention| mention.is_known(&spec.knowledge)) {
            before.push(mention.item());
        }
        Self { now, before, unknown }
    }

    fn warning(&self) -> Option<String> {
        (!self.unknown.is_empty()).then(|| format!("the agent has no {}", self.unknown.join(", ")))
    }
}
