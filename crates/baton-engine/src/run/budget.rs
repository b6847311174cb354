//! What may be used up: looked at before every call, counted after every answer of the model.

use super::{Driver, Halt};
use crate::{end::Ending, open::fold};
use baton_ports::{ChatMessage, ListQuery, Model, ModelCall, Tally};
use baton_rules::{CallStage, CallState, Task, Used, may_call_model, may_call_tools, month_of};
use baton_types::{AgentName, AgentSpec, Budget, Budgets, Reason, Spent, Usage};

/// Tasks of a session whose use is counted, the newest first.
const COUNTED: usize = 1000;

impl Driver {
    /// Goes on when the model call may be made; else the task ends here.
    pub(super) async fn afford(&self, spec: &AgentSpec, model: &dyn Model, call: &ModelCall) -> Result<(), Halt> {
        let budgets = &spec.limits.budgets;
        if *budgets == Budgets::default() {
            return Ok(());
        }
        let used = self.used(spec).await?;
        let tokens = about(model, call);
        let micro_dollars = model.price(Usage::new(tokens, 0)).unwrap_or_default();
        let next = Spent { tokens, micro_dollars, tool_calls: 0 };
        self.unless_used_up(may_call_model(budgets, &used, next)).await
    }

    /// Goes on when the calls that have not begun may run; else the task ends here, and none of them did.
    pub(super) async fn afford_tools(&self, spec: &AgentSpec, calls: &[CallState]) -> Result<(), Halt> {
        let budgets = &spec.limits.budgets;
        let bounded = |budget: &Budget| budget.tool_calls.is_some();
        let begins = calls.iter().any(|state| state.stage == CallStage::Pending);
        if !begins || ![budgets.run, budgets.session, budgets.month].iter().any(bounded) {
            return Ok(());
        }
        let used = self.used(spec).await?;
        self.unless_used_up(may_call_tools(budgets, &used)).await
    }

    async fn unless_used_up(&self, may: Result<(), Reason>) -> Result<(), Halt> {
        let Err(reason) = may else { return Ok(()) };
        self.inner.end(&self.live, Ending::Failed(reason)).await?;
        Err(Halt::Changed)
    }

    /// Counts what a model call used; it is on record with the events of its answer.
    pub(super) fn spend(&self, spec: &AgentSpec, spent: Spent) {
        let budgets = &spec.limits.budgets;
        if !budgets.session.is_empty() {
            self.inner.tallies.add(&self.session_key(), spent);
        }
        if !budgets.month.is_empty() {
            let key = self.month_key(&spec.name);
            self.inner.tallies.add(&key, spent);
            let mut cell = self.live.lock();
            // A month may have ended since something was counted that is not on record yet; it counts as the new one's.
            let before = cell.tally.take().map_or(Spent::default(), |tally| tally.spent);
            cell.tally = Some(Tally { key, spent: before.plus(spent) });
        }
    }

    /// Has totals read again after what was counted did not become true.
    pub(super) fn unspend(&self, spec: &AgentSpec) {
        self.inner.tallies.forget(&self.session_key());
        self.inner.tallies.forget(&self.month_key(&spec.name));
    }

    async fn used(&self, spec: &AgentSpec) -> Result<Used, Halt> {
        let budgets = &spec.limits.budgets;
        let session = if budgets.session.is_empty() { Spent::default() } else { self.used_in_session().await? };
        let month = if budgets.month.is_empty() { Spent::default() } else { self.used_in_month(&spec.name).await? };
        Ok(Used { run: used_by(&self.live.lock().task), session, month })
    }

    async fn used_in_month(&self, agent: &AgentName) -> Result<Spent, Halt> {
        let key = self.month_key(agent);
        if let Some(known) = self.inner.tallies.get(&key) {
            return Ok(known);
        }
        self.flush();
        self.inner.synced().await?;
        let read = self.inner.journal().tally(&key).await?;
        Ok(self.inner.tallies.put(key, read))
    }

    /// What all tasks of the conversation used, this one as it stands.
    async fn used_in_session(&self) -> Result<Spent, Halt> {
        let key = self.session_key();
        if let Some(known) = self.inner.tallies.get(&key) {
            return Ok(known);
        }
        self.flush();
        self.inner.synced().await?;
        let (agent, context) = {
            let task = &self.live.lock().task;
            (task.agent.clone(), task.context.clone())
        };
        let query = ListQuery { agent: Some(agent), context: Some(context), ..ListQuery::tasks(COUNTED) };
        let mut sum = used_by(&self.live.lock().task);
        for head in self.inner.journal().list(&self.live.owner, &query).await?.heads {
            let Some(id) = head.task().filter(|id| **id != self.live.id) else { continue };
            if let Some(loaded) = self.inner.journal().load(None, &head.stream).await? {
                sum = sum.plus(used_by(&fold(id, &loaded)?));
            }
        }
        Ok(self.inner.tallies.put(key, sum))
    }

    fn session_key(&self) -> String {
        let (owner, cell) = (&self.live.owner, self.live.lock());
        format!("session/{}/{}/{}/{}", owner.tenant, owner.subject, cell.task.agent, cell.task.context)
    }

    fn month_key(&self, agent: &AgentName) -> String {
        format!("agent/{agent}/{}", month_of(self.inner.ports.clock.now()))
    }
}

fn used_by(task: &Task) -> Spent {
    Spent::of(task.usage, task.tool_calls)
}

/// About how many tokens a call gives the model to read.
fn about(model: &dyn Model, call: &ModelCall) -> u64 {
    let of = |text: &str| model.tokens(text);
    let said = call.messages.iter().map(|message| match message {
        ChatMessage::User { text, .. } => of(text),
        ChatMessage::Assistant { text, calls, .. } => {
            of(text) + calls.iter().map(|call| of(&call.name) + of(call.arguments.as_str())).sum::<u64>()
        }
        ChatMessage::Tool { output, .. } => of(output.as_str()),
    });
    let tools = call.tools.iter().map(|tool| of(&tool.name) + of(&tool.description) + of(tool.parameters.as_str()));
    of(&call.system) + said.sum::<u64>() + tools.sum::<u64>()
}
