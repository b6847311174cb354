//! Budget checks before every call, and usage accounting after every model answer.

use super::{
    Driver, Halt,
    token_estimate::{frame_tokens, messages_tokens},
};
use crate::{end::TaskEnd, open::fold, usage_totals::UsageReservation};
use baton_ports::{Model, ModelCall, StreamQuery, Tally};
use baton_rules::{BudgetTotals, CallStage, CallState, TaskRecord, calendar_month, may_call_model, may_call_tools};
use baton_types::{AgentName, AgentSpec, Budget, BudgetUsage, Budgets, FailureReason, Usage};

/// Tasks per page when the usage of a session is summed.
const PAGE: usize = 100;

impl Driver {
    /// Reserves budget for the model call; ends the task if a budget does not allow it.
    pub(super) async fn reserve_model_budget(
        &self,
        spec: &AgentSpec,
        model: &dyn Model,
        call: &ModelCall,
    ) -> Result<(), Halt> {
        // The reservation of the previous call is no longer needed.
        *self.reservation.lock() = None;
        match self.try_reserve_model_budget(spec, model, call).await? {
            Ok(reservation) => {
                *self.reservation.lock() = reservation;
                Ok(())
            }
            Err(reason) => Box::pin(self.fail_if_exhausted(Err(reason))).await,
        }
    }

    /// Reserves budget for the model call; the inner error names the exhausted budget.
    pub(super) async fn try_reserve_model_budget(
        &self,
        spec: &AgentSpec,
        model: &dyn Model,
        call: &ModelCall,
    ) -> Result<Result<Option<UsageReservation>, FailureReason>, Halt> {
        let budgets = &spec.limits.budgets;
        if *budgets == Budgets::default() {
            return Ok(Ok(None));
        }
        let used = Box::pin(self.used(spec)).await?;
        let input_tokens = frame_tokens(model, call).saturating_add(messages_tokens(model, &call.messages));
        // The output length is unknown unless it is limited.
        let output_tokens = call.writing.max_output_tokens.map_or(0, u64::from);
        let micro_dollars = model.price(Usage::new(input_tokens, output_tokens)).unwrap_or_default();
        let next = BudgetUsage { tokens: input_tokens.saturating_add(output_tokens), micro_dollars, tool_calls: 0 };
        let [run, session, month] = [format!("run/{}", self.live.id), self.session_key(), self.month_key(&spec.name)];
        let keys = vec![run.clone(), session.clone(), month.clone()];
        let reservation = self.inner.usage_totals.reserve(keys, next, |reserved| {
            // Other usage may have been added since the totals were read.
            let now =
                |key: &str, total: BudgetUsage| self.inner.usage_totals.get(key).unwrap_or(total).plus(reserved(key));
            let used = BudgetTotals {
                run: used.run.plus(reserved(&run)),
                session: now(&session, used.session),
                month: now(&month, used.month),
            };
            may_call_model(budgets, &used, next)
        });
        Ok(reservation.map(Some))
    }

    /// Checks the tool-call budgets before pending calls start; ends the task if they are exhausted.
    pub(super) async fn check_tool_budget(&self, spec: &AgentSpec, calls: &[CallState]) -> Result<(), Halt> {
        let budgets = &spec.limits.budgets;
        let bounded = |budget: &Budget| budget.tool_calls.is_some();
        let begins = calls.iter().any(|state| state.stage == CallStage::Pending);
        if !begins || ![budgets.run, budgets.session, budgets.month].iter().any(bounded) {
            return Ok(());
        }
        let used = Box::pin(self.used(spec)).await?;
        Box::pin(self.fail_if_exhausted(may_call_tools(budgets, &used))).await
    }

    async fn fail_if_exhausted(&self, check: Result<(), FailureReason>) -> Result<(), Halt> {
        let Err(reason) = check else { return Ok(()) };
        self.inner.end(&self.live, TaskEnd::Failed(reason)).await?;
        Err(Halt::Changed)
    }

    /// Adds the usage of a model call; it is recorded with the events of its answer.
    pub(super) fn add_usage(&self, spec: &AgentSpec, spent: BudgetUsage) {
        let budgets = &spec.limits.budgets;
        if !budgets.session.is_empty() {
            self.inner.usage_totals.add(&self.session_key(), spent);
        }
        if !budgets.month.is_empty() {
            let key = self.month_key(&spec.name);
            self.inner.usage_totals.add(&key, spent);
            let mut cell = self.live.lock();
            // If the month has changed since unrecorded usage was added, that usage counts for the new month.
            let before = cell.tally.take().map_or(BudgetUsage::default(), |tally| tally.spent);
            cell.tally = Some(Tally { key, spent: before.plus(spent) });
        }
    }

    /// Evicts totals whose usage was not committed.
    pub(super) fn evict_usage_totals(&self, spec: &AgentSpec) {
        self.inner.usage_totals.forget(&self.session_key());
        self.inner.usage_totals.forget(&self.month_key(&spec.name));
    }

    async fn used(&self, spec: &AgentSpec) -> Result<BudgetTotals, Halt> {
        let budgets = &spec.limits.budgets;
        let session = if budgets.session.is_empty() { BudgetUsage::default() } else { self.used_in_session().await? };
        let month =
            if budgets.month.is_empty() { BudgetUsage::default() } else { self.used_in_month(&spec.name).await? };
        Ok(BudgetTotals { run: used_by(&self.live.lock().task), session, month })
    }

    async fn used_in_month(&self, agent: &AgentName) -> Result<BudgetUsage, Halt> {
        let key = self.month_key(agent);
        if let Some(total) = self.inner.usage_totals.get(&key) {
            return Ok(total);
        }
        self.flush();
        self.inner.wait_for_sync().await?;
        let read = self.inner.journal().tally(&key).await?;
        Ok(self.inner.usage_totals.put(key, read))
    }

    /// Usage of all tasks of the context, including the current state of this one.
    async fn used_in_session(&self) -> Result<BudgetUsage, Halt> {
        let key = self.session_key();
        if let Some(total) = self.inner.usage_totals.get(&key) {
            return Ok(total);
        }
        self.flush();
        self.inner.wait_for_sync().await?;
        let (agent, context) = {
            let task = &self.live.lock().task;
            (task.agent.clone(), task.context.clone())
        };
        let mut query = StreamQuery { agent: Some(agent), context: Some(context), ..StreamQuery::tasks(PAGE) };
        let mut sum = used_by(&self.live.lock().task);
        loop {
            let page = self.inner.journal().list(&self.live.owner, &query).await?;
            for head in page.heads {
                let Some(id) = head.task().filter(|id| **id != self.live.id) else { continue };
                if let Some(loaded) = self.inner.journal().load(None, &head.stream).await? {
                    sum = sum.plus(used_by(&fold(id, &loaded)?));
                }
            }
            match page.next {
                Some(next) => query.after = Some(next),
                None => return Ok(self.inner.usage_totals.put(key, sum)),
            }
        }
    }

    fn session_key(&self) -> String {
        let (owner, cell) = (&self.live.owner, self.live.lock());
        format!("session/{}/{}/{}/{}", owner.tenant, owner.subject, cell.task.agent, cell.task.context)
    }

    fn month_key(&self, agent: &AgentName) -> String {
        format!("agent/{agent}/{}", calendar_month(self.inner.ports.clock.now()))
    }
}

fn used_by(task: &TaskRecord) -> BudgetUsage {
    BudgetUsage::from_model_call(task.usage, task.tool_calls)
}
