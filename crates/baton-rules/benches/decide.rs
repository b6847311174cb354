//! One permission decision with 500 rules, for the shapes of rules that cost most.
#![expect(clippy::print_stdout, reason = "a benchmark prints its result")]

use baton_rules::{CallAuthorization, PermissionContext, authorize_call, is_offered};
use baton_types::{
    ApprovalMode, ArgumentMatch, Effects, Json, McpTool, Permission, PermissionRule, ToolPolicy, ToolRunner, ToolSpec,
};
use std::{
    error::Error,
    hint::black_box,
    time::{Duration, Instant},
};

type BenchError = Box<dyn Error + Send + Sync>;

const RULE_COUNT: usize = 500;
const ROUNDS_PER_SAMPLE: u32 = 50;
const SAMPLE_COUNT: usize = 401;
/// Shape without a time limit: 500 patterns with several wildcards on one argument of one tool.
const UNBOUNDED_SHAPE: &str = "argument globs";

/// Upper bound of the median duration of a decision.
const MAX_DECISION_TIME: Duration = Duration::from_micros(20);

fn tool() -> Result<ToolSpec, BenchError> {
    Ok(ToolSpec {
        name: "files_read_text_file".to_owned(),
        description: String::new(),
        parameters: Json::parse("{}")?,
        effects: Effects::Unknown,
        runner: ToolRunner::Mcp(McpTool { server: "files".to_owned(), tool: "read_text_file".to_owned() }),
        output: None,
        permission: Permission::Ask,
        rules: Vec::new(),
        include: Default::default(),
        sequential: false,
    })
}

fn policy(rule: impl Fn(usize) -> PermissionRule) -> ToolPolicy {
    ToolPolicy { ask: ApprovalMode::Tool, rules: (0..RULE_COUNT).map(rule).collect() }
}

fn allow_rule(server: Option<&str>, tool: impl Into<String>, arguments: Vec<ArgumentMatch>) -> PermissionRule {
    PermissionRule { server: server.map(str::to_owned), arguments, ..PermissionRule::for_tool(tool, Permission::Allow) }
}

fn argument_match(path: impl Into<String>, glob: impl Into<String>) -> Vec<ArgumentMatch> {
    vec![ArgumentMatch { path: path.into(), glob: glob.into() }]
}

/// A rule of a large mixed policy: tools of ten servers, by name, by glob and by arguments.
fn mixed_rule(n: usize) -> PermissionRule {
    let server = if n.is_multiple_of(10) { "files".to_owned() } else { format!("server-{}", n % 10) };
    let arguments = match n % 4 {
        0 => argument_match("/path", format!("/srv/notes/*/{n}*.md")),
        1 => argument_match("/of/line", format!("{n}")),
        _ => Vec::new(),
    };
    let tool = match n % 3 {
        0 => "read_*".to_owned(),
        1 => "read_text_file".to_owned(),
        _ => format!("*_{n}_file"),
    };
    allow_rule(Some(&server), tool, arguments)
}

/// Median duration of one call.
fn median_duration(mut once: impl FnMut()) -> Duration {
    let mut samples: Vec<Duration> = (0..SAMPLE_COUNT)
        .map(|_| {
            let begun = Instant::now();
            (0..ROUNDS_PER_SAMPLE).for_each(|_| once());
            begun.elapsed() / ROUNDS_PER_SAMPLE
        })
        .collect();
    samples.sort_unstable();
    samples.get(SAMPLE_COUNT / 2).copied().unwrap_or_default()
}

fn main() -> Result<(), BenchError> {
    let tool = tool()?;
    let session = PermissionContext { autonomous: false, ask: ApprovalMode::Tool, included: &[] };
    let call = Json::parse(
        r#"{"path":"/srv/notes/plans/of/today.md","head":20,"of":{"line":7,"list":[1,2,3]},"text":"A \"word\""}"#,
    )?;
    let shapes = [
        ("mixed", policy(mixed_rule)),
        ("names", policy(|n| allow_rule(Some("files"), format!("read_text_file_{n}"), Vec::new()))),
        ("globs", policy(|n| allow_rule(Some("fil*"), format!("read_*{n}*_file"), Vec::new()))),
        ("globs that all match", policy(|_| allow_rule(Some("f*s"), "*e*text*file*", Vec::new()))),
        (
            "deep arguments",
            policy(|n| allow_rule(None, "read_text_file", argument_match("/of/list/2", format!("{n}")))),
        ),
        (
            UNBOUNDED_SHAPE,
            policy(|n| allow_rule(None, "read_text_file", argument_match("/path", format!("*/n*/*{n}*.md")))),
        ),
        (
            "one argument",
            policy(|n| allow_rule(None, "read_text_file", argument_match("/path", format!("/srv/notes/{n}/*")))),
        ),
    ];
    let mut slowest = Duration::ZERO;
    for (name, policy) in &shapes {
        let decided = median_duration(|| {
            black_box::<CallAuthorization>(authorize_call(
                black_box(policy),
                &session,
                &tool,
                Some(black_box(&call)),
                None,
            ));
        });
        let offered = median_duration(|| {
            black_box(is_offered(black_box(policy), &session, &tool));
        });
        println!("{RULE_COUNT} rules, {name:<20} decide {decided:>9.2?}, is_offered {offered:>9.2?}");
        // Every rule matches several wildcards against the same text: reported, but not subject to the limit.
        if *name != UNBOUNDED_SHAPE {
            slowest = slowest.max(decided).max(offered);
        }
    }
    println!("slowest except {UNBOUNDED_SHAPE:?}: {slowest:.2?}, limit {MAX_DECISION_TIME:?}");
    // Unoptimised builds are too slow for the limit.
    if !cfg!(debug_assertions) && slowest > MAX_DECISION_TIME {
        return Err(format!("one decision takes {slowest:?}, more than {MAX_DECISION_TIME:?}").into());
    }
    Ok(())
}
