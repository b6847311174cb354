//! HTTP tools without code: one bounded request per call, only to the host named by the definition.

mod arguments;
mod clients;
mod headers;
mod reply;
mod request;
mod span;
mod template;

pub use template::{TemplateError, UrlTemplate};

use baton_outbound::{GuardedClient, OutboundError};
use baton_ports::{AgentSource, BoxFuture, ToolHost, ToolInvocation, ToolOutcome, ToolOutput};
use baton_telemetry::Tracer;
use baton_types::{HttpTool, Json, ToolRunner, TraceContext};
use clients::HttpClientCache;
use headers::SecretResolver;
use std::{fmt, sync::Arc};
use tokio::sync::Semaphore;

/// Maximum concurrent requests; further calls wait within their timeout.
const MAX_REQUESTS: usize = 64;

/// Runs HTTP tools.
///
/// An argument cannot escape its path segment or query value, redirects stay at the origin of the definition, and no
/// output contains the value of a secret.
pub struct HttpTools {
    clients: HttpClientCache,
    secrets: SecretResolver,
    agents: Option<Arc<dyn AgentSource>>,
    request_permits: Semaphore,
    tracer: Tracer,
}

impl HttpTools {
    /// Uses the address policy, resolver and root certificates of a client; secrets are environment variables of the
    /// process.
    pub fn new(client: GuardedClient) -> Self {
        Self::with_secrets(client, |name| std::env::var(name).ok())
    }

    /// Resolves `env://NAME` with another lookup.
    pub fn with_secrets(
        client: GuardedClient,
        secrets: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            clients: HttpClientCache::new(client),
            secrets: SecretResolver::new(Arc::new(secrets)),
            agents: None,
            request_permits: Semaphore::new(MAX_REQUESTS),
            tracer: Tracer::off(),
        }
    }

    /// Resolves `env://NAME` with the variables of the calling agent first.
    #[must_use]
    pub fn with_agents(mut self, agents: Arc<dyn AgentSource>) -> Self {
        self.agents = Some(agents);
        self
    }

    /// Records a span for every request.
    #[must_use]
    pub fn with_tracer(mut self, tracer: Tracer) -> Self {
        self.tracer = tracer;
        self
    }

    async fn run_call(&self, run: ToolInvocation<'_>) -> ToolOutput {
        let name = &run.call.name;
        let ToolRunner::Http(tool) = &run.tool.runner else {
            return failed(format!("the tool {name} makes no HTTP request"));
        };
        let work = async {
            // The semaphore is never closed; if it were, unlimited concurrency is the lesser evil.
            let _turn = self.request_permits.acquire().await.ok();
            self.exchange(tool, &run).await
        };
        match tokio::time::timeout(tool.timeout, work).await {
            Ok(output) => output,
            Err(_) => failed(format!(
                "{name} timed out after {:?}\nWhat to do: try again later, or tell the user that the \
                 service does not answer.",
                tool.timeout
            )),
        }
    }

    async fn exchange(&self, tool: &HttpTool, run: &ToolInvocation<'_>) -> ToolOutput {
        let name = &run.call.name;
        let mut span = span::begin(&self.tracer, tool, run.trace.and_then(TraceContext::parse));
        let trace = span.context().map(|context| context.to_string());
        let secrets = match &self.agents {
            Some(agents) => self.secrets.with_agent(agents.agent_resources(&run.agent.name)),
            None => self.secrets.clone(),
        };
        let http_request = match request::build_request(tool, &run.call.arguments, trace.as_deref(), &secrets) {
            Ok(http_request) => http_request,
            Err(error) => {
                span.fail("not_sent", "the request could not be made");
                return failed(format!("{name} was not run: {error}"));
            }
        };
        let client = match self.clients.client(&http_request.host) {
            Ok(client) => client,
            Err(error) => {
                span.fail("not_sent", "the request could not be made");
                return failed(format!("{name} was not run: {error}"));
            }
        };
        let answered = client.send_bounded(http_request.request, tool.max_output).await;
        span::end(span, answered.as_ref());
        match answered {
            Ok(answer) => reply::output(name, &answer, tool.max_output, &http_request.secrets),
            Err(error) => failed(failure_text(name, &error)),
        }
    }
}

impl ToolHost for HttpTools {
    /// Sends the request of one call; failures become outputs with a remedy.
    fn call<'a>(&'a self, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move { ToolOutcome::Done(self.run_call(run).await) })
    }
}

fn failure_text(name: &str, error: &OutboundError) -> String {
    let advice = match error {
        OutboundError::Redirect { .. } => "the tool's author has to write the address at which the service answers",
        error if error.is_forbidden() => "tell the user; the tool's author has to correct its address",
        error if error.is_before_send() => "try again later, or tell the user that the service cannot be reached",
        _ => "the request may have arrived; look before you repeat it, or tell the user",
    };
    format!("{name} failed: {error}\nWhat to do: {advice}.")
}

/// A failure for the model.
fn failed(text: impl AsRef<str>) -> ToolOutput {
    ToolOutput { output: Json::string(text.as_ref()), is_error: true }
}

impl fmt::Debug for HttpTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTools").finish_non_exhaustive()
    }
}
