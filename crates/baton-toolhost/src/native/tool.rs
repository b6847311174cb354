//! A native function as a tool.

use super::{ToolContext, ToolError, call::parse_arguments, schema};
use baton_ports::BoxFuture;
use baton_types::{Effects, Json, Permission, PermissionRule, ToolRunner, ToolSpec};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::{fmt, sync::Arc, time::Duration};

/// Default timeout of a function.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(2 * 60);

pub(super) type ToolFunction =
    Arc<dyn Fn(Json, ToolContext) -> BoxFuture<'static, Result<Json, ToolError>> + Send + Sync>;

/// A function that an agent's model may call.
///
/// Input and output are Rust types; the model sees their fields and doc comments.
#[derive(Clone)]
pub struct Tool {
    pub(super) spec: ToolSpec,
    pub(super) timeout: Duration,
    pub(super) body: ToolFunction,
}

impl Tool {
    /// A tool with this name; `run` receives the arguments.
    pub fn new<I, O, F, R>(name: impl Into<String>, description: impl Into<String>, run: F) -> Self
    where
        I: JsonSchema + DeserializeOwned + Send + 'static,
        O: JsonSchema + Serialize + 'static,
        F: Fn(I) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        Self::with_context(name, description, move |input, _| run(input))
    }

    /// A tool with this name; `run` receives the arguments and the call context.
    pub fn with_context<I, O, F, R>(name: impl Into<String>, description: impl Into<String>, run: F) -> Self
    where
        I: JsonSchema + DeserializeOwned + Send + 'static,
        O: JsonSchema + Serialize + 'static,
        F: Fn(I, ToolContext) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        let run = Arc::new(run);
        let body: ToolFunction = Arc::new(move |arguments, context| {
            let run = Arc::clone(&run);
            Box::pin(async move {
                let input: I = parse_arguments(&arguments)?;
                let output = run(input, context).await?;
                Ok(Json::from_serializable(&output)?)
            })
        });
        let spec = ToolSpec {
            name: name.into(),
            description: description.into(),
            parameters: schema::input_schema::<I>(),
            effects: Effects::Unknown,
            runner: ToolRunner::Native,
            output: schema::output_schema::<O>(),
            permission: Permission::Allow,
            rules: Vec::new(),
            include: Default::default(),
            sequential: false,
        };
        Self { spec, timeout: DEFAULT_TIMEOUT, body }
    }

    /// Marks the tool as read-only: a call interrupted by a crash is repeated.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.spec.effects = Effects::ReadOnly;
        self
    }

    /// Marks the tool as idempotent: a call interrupted by a crash is repeated.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.spec.effects = Effects::Idempotent;
        self
    }

    /// Requires approval before each call.
    #[must_use]
    pub fn ask(mut self) -> Self {
        self.spec.permission = Permission::Ask;
        // A rule for this exact tool, so that a broader rule does not override it.
        self.spec.rules.push(PermissionRule::for_tool(&self.spec.name, Permission::Ask));
        self
    }

    /// Sets the timeout; the default is two minutes.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The tool specification for models.
    pub fn spec(&self) -> &ToolSpec {
        &self.spec
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("spec", &self.spec).field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
