"""Sections of the report that are older than the code they measure."""

import report

# Crates of every request that becomes a task.
TASKS = ("baton-encoding", "baton-engine", "baton-http", "baton-journal", "baton-meters", "baton-models", "baton-ports",
         "baton-rules", "baton-server", "baton-spans", "baton-telemetry", "baton-types")
A2A = (*TASKS, "baton-http-a2a", "baton-wire")

HOT_PATH = {
    "servers": A2A,
    "extras": A2A,
    "crashes": A2A,
    "handoffs": A2A,
    "queue": A2A,
    "bindings": (*A2A, "baton-proto"),
    "mcp": ("baton-encoding", "baton-http", "baton-mcp", "baton-rules", "baton-spans", "baton-telemetry", "baton-toolhost",
            "baton-types"),
    "responses": (*TASKS, "baton-http-openai", "baton-responses"),
    "spans": ("baton-span-ports", "baton-spans", "baton-traceql", "baton-types"),
    "growth": (*A2A, "baton-agentdir", "baton-local"),
    "instructions": ("baton-proto", "baton-types", "baton-wire"),
}


def stale_sections(text):
    """Warnings about sections that were measured before the last change of their crates."""
    warnings = []
    for name, crates in HOT_PATH.items():
        section = report.section_text(text, name)
        if not section:
            warnings.append(f"section {name} has no results")
            continue
        found = report.COMMIT.search(section)
        changed = report.git("log", "-1", "--format=%h %cs", "--", *(f"crates/{crate}/src" for crate in crates))
        if not changed:
            continue
        if not found:
            warnings.append(f"section {name} names no commit, and its code changed last in {changed}")
        elif not is_ancestor(changed.split()[0], found[1]):
            warnings.append(f"section {name} was measured at {found[1]}, before its code changed in {changed}")
    return warnings


def is_ancestor(commit, later):
    return report.git("merge-base", commit, later) == report.git("rev-parse", commit) != ""
