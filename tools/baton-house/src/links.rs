//! Relative links of the documentation: the file exists, and so does the heading.

use crate::{Tree, Violation};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};

/// Broken relative links in Markdown files at the root and below `docs/`, `bench/` and `examples/`.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let pages: BTreeMap<&str, Page> = tree
        .files()
        .filter(|(path, _)| path.ends_with(".md") && is_documentation(path))
        .map(|(path, text)| (path, Page::parse(text)))
        .collect();
    let mut violations = Vec::new();
    for (path, page) in &pages {
        for link in page.links.iter().filter(|link| is_relative(link)) {
            if let Some(rule) = link_fault(tree, &pages, path, link) {
                violations.push(Violation::new(format!("{path}: {link}"), rule));
            }
        }
    }
    violations
}

fn is_documentation(path: &str) -> bool {
    !path.contains('/') || ["docs/", "bench/", "examples/"].iter().any(|folder| path.starts_with(folder))
}

fn is_relative(link: &str) -> bool {
    !link.contains("://") && !link.starts_with("mailto:")
}

fn link_fault(tree: &Tree, pages: &BTreeMap<&str, Page>, from: &str, link: &str) -> Option<String> {
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let Some(target) = (if file.is_empty() { Some(from.to_owned()) } else { resolve(from, file) }) else {
        return Some("is outside of the repository".to_owned());
    };
    let is_folder = || tree.files().any(|(path, _)| path.starts_with(&format!("{target}/")));
    if tree.text(&target).is_none() && !is_folder() {
        return Some(format!("{target} does not exist"));
    }
    let anchor = anchor?;
    match pages.get(target.as_str()) {
        Some(page) if page.anchors.contains(anchor) => None,
        _ => Some(format!("{target} has no heading '#{anchor}'")),
    }
}

/// Path of a link target from the root of the repository; none if it leaves the repository.
fn resolve(from: &str, file: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Links and heading anchors of a Markdown file.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

impl Page {
    fn parse(text: &str) -> Self {
        let (mut page, mut heading) = (Self::default(), None::<String>);
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    if let Some(heading) = heading.take() {
                        page.add_anchor(&heading);
                    }
                }
                Event::Html(html) | Event::InlineHtml(html) => page.anchors.extend(explicit_anchors(&html)),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// Adds the anchor of a heading as GitHub derives it; repeated headings get a number.
    fn add_anchor(&mut self, heading: &str) {
        let text = heading.trim().to_lowercase();
        let text = text.chars().filter(|character| character.is_alphanumeric() || matches!(character, ' ' | '-' | '_'));
        let anchor: String = text.map(|character| if character == ' ' { '-' } else { character }).collect();
        let mut candidates = std::iter::once(anchor.clone()).chain((1..).map(|number| format!("{anchor}-{number}")));
        if let Some(free) = candidates.find(|candidate| !self.anchors.contains(candidate)) {
            self.anchors.insert(free);
        }
    }
}

/// Values of `<a id="...">`.
fn explicit_anchors(html: &str) -> impl Iterator<Item = String> + '_ {
    html.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(anchor, _)| anchor.to_owned())
}
