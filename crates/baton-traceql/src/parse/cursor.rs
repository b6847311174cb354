//! Position of the parser in the token list, and its error reporting.

use crate::{
    Mode, ParseError,
    lenient::Warnings,
    lex::{Op, Token, TokenKind},
    message_format::single_line,
};

/// Maximum nesting depth of parentheses and signs.
const MAX_NESTING: usize = 100;

/// Maximum number of operators in a query; their tree is walked recursively.
const MAX_OPERATORS: usize = 512;

/// Maximum number of characters of an unexpected token in an error message.
const MAX_TOKEN_CHARS: usize = 40;

pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    nested: usize,
    operators: usize,
    pub(super) patterns: usize,
    pub(super) mode: Mode,
    pub(super) warnings: Warnings,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, tokens: Vec<Token>, mode: Mode, warnings: Warnings) -> Self {
        Self { text, tokens, next: 0, nested: 0, operators: 0, patterns: 0, mode, warnings }
    }

    /// The next token.
    pub(super) fn peek(&self) -> &TokenKind {
        self.tokens.get(self.next).map_or(&TokenKind::End, |token| &token.kind)
    }

    /// The second token ahead.
    pub(super) fn peek_second(&self) -> &TokenKind {
        self.tokens.get(self.next + 1).map_or(&TokenKind::End, |token| &token.kind)
    }

    /// The third token ahead, if it is an operator.
    pub(super) fn peek_third_op(&self) -> Option<Op> {
        match self.tokens.get(self.next + 2)?.kind {
            TokenKind::Op(op) => Some(op),
            _ => None,
        }
    }

    /// The next token, if it is an operator.
    pub(super) fn peek_op(&self) -> Option<Op> {
        match self.peek() {
            TokenKind::Op(op) => Some(*op),
            _ => None,
        }
    }

    /// The next token, if it is a keyword.
    pub(super) fn peek_word(&self) -> Option<&'static str> {
        match self.peek() {
            TokenKind::Keyword(word) => Some(word),
            _ => None,
        }
    }

    /// Consumes the next token.
    pub(super) fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len());
    }

    /// Consumes the next token if it is `kind`.
    pub(super) fn accept(&mut self, kind: &TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    /// Consumes the next token, which must be `kind`.
    pub(super) fn require(&mut self, kind: &TokenKind, description: &str) -> Result<(), ParseError> {
        if self.accept(kind) { Ok(()) } else { self.expected(description) }
    }

    /// Start of the next token.
    pub(super) fn position(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |token| token.start)
    }

    /// Parses a recursive construct, with a depth limit.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, ParseError>) -> Result<T, ParseError> {
        if self.nested == MAX_NESTING {
            return self.fail(format!("a query can be nested {MAX_NESTING} deep; this one is deeper"));
        }
        self.nested += 1;
        let result = read(self);
        self.nested -= 1;
        result
    }

    /// Whether no printed form of the query can exceed the depth limit.
    pub(super) fn is_shallow(&self) -> bool {
        self.operators < MAX_NESTING / 4
    }

    /// Counts and consumes an operator.
    pub(super) fn operator(&mut self) -> Result<(), ParseError> {
        if self.operators == MAX_OPERATORS {
            return self.fail(format!("a query can have {MAX_OPERATORS} operators; this one has more"));
        }
        self.operators += 1;
        self.advance();
        Ok(())
    }

    /// An error at the next token.
    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        self.fail_at(self.position(), message)
    }

    /// An error at a position.
    pub(super) fn fail_at<T>(&self, at: usize, message: impl Into<String>) -> Result<T, ParseError> {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Err(ParseError { line, column, message: single_line(&message.into()) })
    }

    /// An error that names the expected and the actual token.
    pub(super) fn expected<T>(&self, description: &str) -> Result<T, ParseError> {
        match self.peek() {
            TokenKind::Invalid(reason) => self.fail(reason.clone()),
            TokenKind::Identifier(word) => self.fail(format!("unknown identifier: {word}")),
            TokenKind::End => self.fail(format!("expected {description}, found the end of the query")),
            _ => self.fail(format!("expected {description}, found `{}`", self.source_text())),
        }
    }

    /// Source text of the next token, truncated.
    pub(super) fn source_text(&self) -> String {
        let Some(token) = self.tokens.get(self.next) else { return String::new() };
        let written = self.text.get(token.start..token.end).unwrap_or_default();
        match written.char_indices().nth(MAX_TOKEN_CHARS) {
            Some((end, _)) => format!("{}..", written.get(..end).unwrap_or_default()),
            None => written.to_owned(),
        }
    }
}
