//! A Rust file as tokens and comments, and the items that it defines.

use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};

/// A lexed Rust file.
pub(crate) struct SourceFile<'a> {
    tokens: Vec<&'a str>,
    /// Comments of every kind, with their markers.
    pub(crate) comments: Vec<&'a str>,
}

/// Keywords before the name of a definition.
const DEFINITION_KEYWORDS: &[&str] =
    &["fn", "struct", "enum", "union", "trait", "type", "const", "static", "mod", "macro_rules"];

/// Kind of a defined item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// Struct, enum, union, trait or type alias.
    Type,
    /// Constant or static.
    Constant,
}

/// An item defined in production code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ItemDefinition<'a> {
    pub(crate) kind: ItemKind,
    pub(crate) name: &'a str,
    /// Type of a constant as tokens joined by blanks; empty for types.
    pub(crate) type_text: String,
}

impl<'a> SourceFile<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        let (mut tokens, mut comments, mut start) = (Vec::new(), Vec::new(), 0);
        for token in tokenize(text, FrontmatterAllowed::No) {
            let end = start + token.len as usize;
            match token.kind {
                TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } => comments.push(&text[start..end]),
                TokenKind::Whitespace => {}
                _ => tokens.push(&text[start..end]),
            }
            start = end;
        }
        Self { tokens, comments }
    }

    /// Whether the name occurs outside of comments and texts.
    pub(crate) fn uses(&self, name: &str) -> bool {
        self.tokens.contains(&name)
    }

    /// Every token outside of comments.
    pub(crate) fn tokens(&self) -> &[&'a str] {
        &self.tokens
    }

    /// Tokens outside of comments and of test modules.
    pub(crate) fn production_tokens(&self) -> Vec<&'a str> {
        let (mut found, mut index) = (Vec::new(), 0);
        while index < self.tokens.len() {
            match self.test_module_body(index) {
                Some(body) => index = self.block_end(body),
                None => found.push(self.token(index)),
            }
            index += 1;
        }
        found
    }

    /// Index of the brace that closes the one at `open`.
    fn block_end(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (index, token) in self.tokens.iter().enumerate().skip(open) {
            match *token {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return index;
            }
        }
        self.tokens.len()
    }

    /// Whether the file defines a function, type, constant, module or macro with this name.
    pub(crate) fn defines(&self, name: &str) -> bool {
        let names = self.tokens.iter().enumerate().filter(|(_, token)| **token == name);
        names.into_iter().any(|(index, _)| {
            // The name of a macro follows `macro_rules!`, the name of a static possibly `mut`.
            let before = self.tokens[..index].iter().rev().find(|token| !matches!(**token, "!" | "mut"));
            before.is_some_and(|keyword| DEFINITION_KEYWORDS.contains(keyword))
        })
    }

    /// Types and constants outside of test modules. Associated types are not definitions.
    pub(crate) fn definitions(&self) -> Vec<ItemDefinition<'a>> {
        let (mut found, mut depth, mut test_depth, mut index) = (Vec::new(), 0_usize, None, 0);
        while index < self.tokens.len() {
            match self.token(index) {
                "{" => depth += 1,
                "}" => {
                    depth = depth.saturating_sub(1);
                    if test_depth.is_some_and(|limit| depth <= limit) {
                        test_depth = None;
                    }
                }
                "#" if test_depth.is_none() => {
                    if let Some(body) = self.test_module_body(index) {
                        test_depth = Some(depth);
                        depth += 1;
                        index = body;
                    }
                }
                _ if test_depth.is_none() => found.extend(self.definition_at(index, depth)),
                _ => {}
            }
            index += 1;
        }
        found
    }

    fn token(&self, index: usize) -> &'a str {
        self.tokens.get(index).copied().unwrap_or_default()
    }

    fn definition_at(&self, index: usize, depth: usize) -> Option<ItemDefinition<'a>> {
        match self.token(index) {
            "type" if depth > 0 => None,
            "struct" | "enum" | "union" | "trait" | "type" => {
                let name = self.token(index + 1);
                let is_type = name.starts_with(|first: char| first.is_ascii_uppercase());
                is_type.then(|| ItemDefinition { kind: ItemKind::Type, name, type_text: String::new() })
            }
            "const" | "static" => {
                let at = index + if self.token(index + 1) == "mut" { 2 } else { 1 };
                let name = self.token(at);
                let is_constant = name.starts_with(|first: char| first.is_ascii_uppercase())
                    && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
                (is_constant && self.token(at + 1) == ":").then(|| {
                    let rest = self.tokens.iter().skip(at + 2);
                    let type_tokens: Vec<&str> =
                        rest.take_while(|token| !matches!(**token, "=" | ";")).copied().collect();
                    ItemDefinition { kind: ItemKind::Constant, name, type_text: type_tokens.join(" ") }
                })
            }
            _ => None,
        }
    }

    /// Index of the opening brace of a `#[cfg(test)] mod name {` that starts at `index`.
    fn test_module_body(&self, index: usize) -> Option<usize> {
        let expected = ["#", "[", "cfg", "(", "test", ")", "]"];
        if (0..expected.len()).any(|offset| self.token(index + offset) != expected[offset]) {
            return None;
        }
        let mut at = index + expected.len();
        while self.token(at) == "#" {
            at += 1 + self.tokens.iter().skip(at).position(|token| *token == "]")?;
        }
        while matches!(self.token(at), "pub" | "(" | ")" | "crate" | "super") {
            at += 1;
        }
        (self.token(at) == "mod" && self.token(at + 2) == "{").then_some(at + 2)
    }
}
