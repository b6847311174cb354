//! Report of the playbook at the end of strict runs.

use crate::{failure::Exit, screen::Screen};
use baton_server::ServerHandle;

/// Reports unused playbook rules and messages without a matching rule, at the end of strict runs.
pub(super) fn report_playbook(server: &ServerHandle, screen: Screen) -> Exit {
    let report = server.playbook_report();
    let unused: Vec<String> = report
        .unused()
        .map(|rule| {
            let name = rule.name.as_deref().map(|name| format!(" ({name})")).unwrap_or_default();
            format!("  {}/playbook.yaml:{}{name}: never used", rule.agent, rule.line)
        })
        .collect();
    let used = report.rules.len() - unused.len();
    screen.print_stderr(&format!(
        "playbook: {used} of {} rules used; model calls without a rule: {}",
        report.rules.len(),
        report.missed
    ));
    for line in unused {
        screen.print_stderr(&line);
    }
    for miss in &report.misses {
        screen.print_stderr(&format!("  {}: no rule for {:?}", miss.agent, miss.user));
    }
    if report.missed > 0 { Exit::TaskFailed } else { Exit::Ok }
}
