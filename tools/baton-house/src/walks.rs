//! Paths and symbols in the design pages: the file exists, and it defines the symbol.
//!
//! A hop of a walk is a path from the root of the repository, followed by names in parentheses:
//! "`crates/<crate>/src/<file>.rs` (`function`, `Type::method`)". In a path, `*` and `<name>` stand for any text between slashes.

use crate::{Tree, Violation, source::SourceFile};
use pulldown_cmark::{Event, Parser};

/// Start of a path of the repository. `tools/call` and `tools/list` are methods of MCP.
const PATH_PREFIXES: &[&str] =
    &["bench/", "crates/", "docs/", "examples/", "fuzz/", "scripts/", "tests/", "tools/baton-"];

/// Heading prefix of a walk, in [`ARCHITECTURE`].
const WALK_HEADING: &str = "Walk";
/// Minimum number of walks, and of the hops of each.
const MIN_WALKS: usize = 3;
const MIN_HOPS: usize = 5;

/// Page with the walks.
pub(crate) const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// Missing paths and symbols, and hops without a symbol.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (page, text) in tree.files().filter(|(path, _)| is_design_page(path)) {
        for hop in hops(text) {
            let mut report =
                |rule: String| violations.push(Violation::new(format!("{page}: {}", hop.described()), rule));
            if !exists(tree, &hop.path) {
                report("this path does not exist; write the path from the root of the repository".to_owned());
                continue;
            }
            if !hop.is_well_formed {
                report("write the names as in (`one`, `two`), with nothing else in the parentheses".to_owned());
            }
            for symbol in &hop.symbols {
                match tree.text(&hop.path) {
                    Some(source) if defines(&hop.path, source, symbol) => {}
                    Some(_) => report(format!("the file does not define {symbol}")),
                    None => report(format!("{symbol} needs the path of one file")),
                }
            }
        }
    }
    violations.extend(tree.text(ARCHITECTURE).map(check_walks).unwrap_or_default());
    violations
}

fn is_design_page(path: &str) -> bool {
    path == ARCHITECTURE || path == "CONTRIBUTING.md" || path.starts_with("docs/decisions/") && path.ends_with(".md")
}

/// Too few walks, and steps that name no symbol.
fn check_walks(text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut walks = 0;
    for section in text.split("\n#").filter(|section| section.trim_start_matches(['#', ' ']).starts_with(WALK_HEADING))
    {
        walks += 1;
        let title = section.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']);
        let steps: Vec<String> = steps(section);
        if steps.len() < MIN_HOPS {
            let rule = format!("has {} steps; a walk has at least {MIN_HOPS}", steps.len());
            violations.push(Violation::new(format!("{ARCHITECTURE}: {title}"), rule));
        }
        for step in steps.iter().filter(|step| hops(step).iter().all(|hop| hop.symbols.is_empty())) {
            let start: String = step.chars().take(40).collect();
            let rule = "names no file with a function or type".to_owned();
            violations.push(Violation::new(format!("{ARCHITECTURE}: {title}: {start}"), rule));
        }
    }
    if walks < MIN_WALKS {
        let rule = format!("has {walks} sections that begin with '{WALK_HEADING}'; at least {MIN_WALKS} are needed");
        violations.push(Violation::new(ARCHITECTURE, rule));
    }
    violations
}

/// Entries of the numbered list in a section.
fn steps(section: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for line in section.lines() {
        let is_start =
            line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok() && !number.is_empty());
        match steps.last_mut() {
            _ if is_start => steps.push(line.to_owned()),
            Some(step) if line.starts_with(' ') => *step = format!("{step}\n{}", line.trim_start()),
            _ => {}
        }
    }
    steps
}

/// A path with the names in the parentheses after it.
struct Hop {
    path: String,
    symbols: Vec<String>,
    is_well_formed: bool,
}

impl Hop {
    fn described(&self) -> String {
        if self.symbols.is_empty() { self.path.clone() } else { format!("{} ({})", self.path, self.symbols.join(", ")) }
    }
}

enum Inline {
    Code(String),
    Text(String),
}

/// Paths of the repository in the code spans of a page.
fn hops(text: &str) -> Vec<Hop> {
    let inlines = inlines(text);
    let mut hops = Vec::new();
    for (index, inline) in inlines.iter().enumerate() {
        let Inline::Code(path) = inline else { continue };
        if !is_repository_path(path) {
            continue;
        }
        let mut hop = Hop { path: path.clone(), symbols: Vec::new(), is_well_formed: true };
        let mut rest = inlines[index + 1..].iter();
        if matches!(rest.next(), Some(Inline::Text(text)) if text.trim() == "(") {
            while let Some(Inline::Code(symbol)) = rest.next() {
                hop.symbols.push(symbol.clone());
                match rest.next() {
                    Some(Inline::Text(text)) if text.trim() == "," => {}
                    Some(Inline::Text(text)) if text.starts_with(')') => break,
                    _ => {
                        hop.is_well_formed = false;
                        break;
                    }
                }
            }
        }
        hops.push(hop);
    }
    hops
}

/// Code spans and the text between them. The end of a block is a line break.
fn inlines(text: &str) -> Vec<Inline> {
    let mut inlines = Vec::new();
    for event in Parser::new(text) {
        match event {
            Event::Code(code) => inlines.push(Inline::Code(code.into_string())),
            Event::Text(text) => add_text(&mut inlines, &text),
            Event::SoftBreak | Event::HardBreak => add_text(&mut inlines, " "),
            Event::End(end) if !is_inline(end) => add_text(&mut inlines, "\n"),
            _ => {}
        }
    }
    inlines
}

fn is_inline(end: pulldown_cmark::TagEnd) -> bool {
    use pulldown_cmark::TagEnd;
    matches!(end, TagEnd::Strong | TagEnd::Emphasis | TagEnd::Link | TagEnd::Image | TagEnd::Strikethrough)
}

fn add_text(inlines: &mut Vec<Inline>, text: &str) {
    match inlines.last_mut() {
        Some(Inline::Text(before)) => before.push_str(text),
        _ => inlines.push(Inline::Text(text.to_owned())),
    }
}

/// Whether a code span is a path from the root, or a Rust file in some folder.
fn is_repository_path(code: &str) -> bool {
    let has_path_characters =
        code.chars().all(|character| character.is_ascii_alphanumeric() || "_.-/*<>".contains(character));
    let is_from_root = PATH_PREFIXES.iter().any(|prefix| code.starts_with(prefix));
    has_path_characters && (is_from_root || code.contains('/') && code.ends_with(".rs"))
}

fn exists(tree: &Tree, path: &str) -> bool {
    tree.files().any(|(file, _)| matches_path(path, file))
}

/// Whether a file is at the path or below it.
fn matches_path(path: &str, file: &str) -> bool {
    let folder = path.strip_suffix('/');
    let pattern: Vec<&str> = folder.unwrap_or(path).split('/').collect();
    let parts: Vec<&str> = file.split('/').collect();
    let is_deep_enough = if folder.is_some() { parts.len() > pattern.len() } else { parts.len() >= pattern.len() };
    is_deep_enough && pattern.iter().zip(&parts).all(|(pattern, part)| matches_part(pattern, part))
}

/// Matches one part of a path; `*` and `<name>` match any text.
fn matches_part(pattern: &str, part: &str) -> bool {
    let Some(at) = pattern.find(['*', '<']) else { return pattern == part };
    let (start, rest) = pattern.split_at(at);
    let after = match rest.strip_prefix('<') {
        Some(placeholder) => placeholder.split_once('>').map_or("", |(_, after)| after),
        None => &rest[1..],
    };
    let Some(part) = part.strip_prefix(start) else { return false };
    part.char_indices().map(|(at, _)| at).chain([part.len()]).any(|at| matches_part(after, &part[at..]))
}

/// Whether a file defines `name`, or `name` as a member of `Type` in `Type::name`. A variant is only used by name.
fn defines(path: &str, text: &str, symbol: &str) -> bool {
    let parts: Vec<&str> = symbol.split("::").collect();
    let Some((name, owners)) = parts.split_last() else { return false };
    if !path.ends_with(".rs") {
        return text
            .split(|character: char| !character.is_alphanumeric() && character != '_')
            .any(|word| word == symbol);
    }
    let source = SourceFile::parse(text);
    let is_variant = !owners.is_empty() && name.starts_with(|first: char| first.is_ascii_uppercase());
    owners.iter().all(|owner| source.uses(owner)) && if is_variant { source.uses(name) } else { source.defines(name) }
}
