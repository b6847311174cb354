//! One permission decision with 500 rules, for the shapes of rules that cost most.
#![expect(clippy::print_stdout, reason = "a bench prints its result")]

use baton_rules::{PermissionContext, PermissionDecision, decide_permission, is_offered};
use baton_types::{
    ApprovalMode, ArgumentMatch, Effects, Json, McpTool, Permission, PermissionRule, ToolPolicy, ToolRunner, ToolSpec,
};
use std::{
    error::Error,
    hint::black_box,
    time::{Duration, Instant},
};

type Failure = Box<dyn Error + Send + Sync>;

const RULES: usize = 500;
const ROUNDS: u32 = 50;
const SAMPLES: usize = 401;
/// Five hundred patterns with several stars about one argument of one tool.
const HARDEST: &str = "argument globs";

const BOUND: Duration = Duration::from_micros(20);

fn tool() -> Result<ToolSpec, Failure> {
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
    ToolPolicy { ask: ApprovalMode::Tool, rules: (0..RULES).map(rule).collect() }
}

fn about(server: Option<&str>, tool: impl Into<String>, arguments: Vec<ArgumentMatch>) -> PermissionRule {
    PermissionRule { server: server.map(str::to_owned), arguments, ..PermissionRule::for_tool(tool, Permission::Allow) }
}

fn wants(path: impl Into<String>, glob: impl Into<String>) -> Vec<ArgumentMatch> {
    vec![ArgumentMatch { path: path.into(), glob: glob.into() }]
}

/// What somebody writes who has much to say: tools of ten servers, by name, by glob, and by what they are called with.
fn of_many_kinds(n: usize) -> PermissionRule {
    let server = if n.is_multiple_of(10) { "files".to_owned() } else { format!("server-{}", n % 10) };
    let arguments = match n % 4 {
        0 => wants("/path", format!("/srv/notes/*/{n}*.md")),
        1 => wants("/of/line", format!("{n}")),
        _ => Vec::new(),
    };
    let tool = match n % 3 {
        0 => "read_*".to_owned(),
        1 => "read_text_file".to_owned(),
        _ => format!("*_{n}_file"),
    };
    about(Some(&server), tool, arguments)
}

/// The median of many rounds.
fn measured(mut once: impl FnMut()) -> Duration {
    let mut samples: Vec<Duration> = (0..SAMPLES)
        .map(|_| {
            let begun = Instant::now();
            (0..ROUNDS).for_each(|_| once());
            begun.elapsed() / ROUNDS
        })
        .collect();
    samples.sort_unstable();
    samples.get(SAMPLES / 2).copied().unwrap_or_default()
}

fn main() -> Result<(), Failure> {
    let tool = tool()?;
    let session = PermissionContext { autonomous: false, ask: ApprovalMode::Tool, included: &[] };
    let call = Json::parse(
        r#"{"path":"/srv/notes/plans/of/today.md","head":20,"of":{"line":7,"list":[1,2,3]},"text":"A \"word\""}"#,
    )?;
    let shapes = [
        ("of many kinds", policy(of_many_kinds)),
        ("names", policy(|n| about(Some("files"), format!("read_text_file_{n}"), Vec::new()))),
        ("globs", policy(|n| about(Some("fil*"), format!("read_*{n}*_file"), Vec::new()))),
        ("globs that all fit", policy(|_| about(Some("f*s"), "*e*text*file*", Vec::new()))),
        ("deep arguments", policy(|n| about(None, "read_text_file", wants("/of/list/2", format!("{n}"))))),
        (HARDEST, policy(|n| about(None, "read_text_file", wants("/path", format!("*/n*/*{n}*.md"))))),
        ("one argument", policy(|n| about(None, "read_text_file", wants("/path", format!("/srv/notes/{n}/*"))))),
    ];
    let mut slowest = Duration::ZERO;
    for (name, policy) in &shapes {
        let decided = measured(|| {
            black_box::<PermissionDecision>(decide_permission(
                black_box(policy),
                &session,
                &tool,
                Some(black_box(&call)),
                false,
            ));
        });
        let offered = measured(|| {
            black_box(is_offered(black_box(policy), &session, &tool));
        });
        println!("{RULES} rules, {name:<20} decide {decided:>9.2?}, offers {offered:>9.2?}");
        // Every rule walks through the same text star by star: shown, because nobody should think it free.
        if *name != HARDEST {
            slowest = slowest.max(decided).max(offered);
        }
    }
    println!("slowest but for {HARDEST:?}: {slowest:.2?}, bound {BOUND:?}");
    // Without optimisation the numbers mean nothing.
    if !cfg!(debug_assertions) && slowest > BOUND {
        return Err(format!("one decision takes {slowest:?}, more than {BOUND:?}").into());
    }
    Ok(())
}
