//! One playbook as a model.

use super::{
    choose::choose_rule,
    fallback::plan_fallback,
    input::PlaybookInput,
    parse::parse,
    plan::AnswerPlan,
    play::stream_plan,
    report::{RuleReport, SharedPlaybookState},
    rule::PlaybookRules,
};
use baton_document::Diagnostic;
use baton_ports::{Model, ModelCall, ModelError, ModelInfo, ModelStream};
use baton_types::AgentName;
use std::sync::{Arc, atomic::Ordering};

const NAME: &str = "playbook";

/// A model that follows the rules of one file.
pub struct Playbook {
    script: PlaybookRules,
    ledger: Arc<SharedPlaybookState>,
}

impl Playbook {
    /// Parses the rules; the error message lists every problem with its line and column.
    pub fn new(rules: Option<&str>) -> Result<Self, ModelError> {
        Self::with_shared_state(rules, Arc::default())
    }

    pub(super) fn with_shared_state(rules: Option<&str>, ledger: Arc<SharedPlaybookState>) -> Result<Self, ModelError> {
        let (script, diagnostics) = rules.map(parse).unwrap_or_default();
        let errors: Vec<String> =
            diagnostics.iter().filter(|remark| remark.is_error()).map(Diagnostic::to_string).collect();
        if errors.is_empty() { Ok(Self { script, ledger }) } else { Err(ModelError::Configuration(errors.join("\n"))) }
    }

    /// Whether a rule fails and requests another attempt.
    pub(super) fn requests_retries(&self) -> bool {
        self.script.requests_retries()
    }

    pub(super) fn report(&self, agent: &AgentName) -> impl Iterator<Item = RuleReport> {
        self.script.rules.iter().map(|rule| RuleReport {
            agent: agent.clone(),
            name: rule.name.clone(),
            line: rule.location.line,
            uses: rule.uses.load(Ordering::Relaxed),
        })
    }

    fn plan(&self, call: &ModelCall) -> Result<AnswerPlan, ModelError> {
        let options = &self.script.options;
        let scene = PlaybookInput::new(call, self.ledger.unique());
        match choose_rule(&self.script, &scene, NAME) {
            Some((rule, matched)) => {
                rule.uses.fetch_add(1, Ordering::Relaxed);
                Ok(AnswerPlan::from_rule(&scene, rule, &matched, options.seed, options.usage))
            }
            None => {
                self.ledger.record_miss(&call.agent, &scene.user)?;
                Ok(plan_fallback(&scene, options))
            }
        }
    }
}

impl Model for Playbook {
    fn name(&self) -> &str {
        NAME
    }

    fn model_info(&self) -> ModelInfo {
        // Files are passed only to playbooks with rules that match files; others get a description in text.
        let looks = self.script.rules.iter().any(|rule| !rule.when.files.is_empty());
        ModelInfo { window: self.script.options.window, images: Some(looks), ..ModelInfo::default() }
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        match self.plan(&call) {
            Ok(plan) => stream_plan(plan),
            Err(error) => Box::pin(futures_util::stream::iter([Err(error)])),
        }
    }
}

impl std::fmt::Debug for Playbook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Playbook({} rules)", self.script.rules.len())
    }
}
