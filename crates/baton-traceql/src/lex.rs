//! Lexer: text to tokens.
//!
//! Lexing depends on context: after a scope or a dot a name begins, in which `-` and `/` are ordinary characters.
//! Invalid text ends the token list with an error token, so that a parse error further left is reported first.

use crate::{
    Field, Mode,
    lenient::Warnings,
    lex_name::{self, is_name_char},
    lex_number, lex_text,
    lex_words::{self, ReservedWord},
};

/// A token and its byte range.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    OpenBrace,
    CloseBrace,
    OpenParen,
    CloseParen,
    Comma,
    Pipe,
    Op(Op),
    Text(String),
    /// Magnitude, without the sign.
    Int(u64),
    Float(f64),
    /// Nanoseconds, without the sign.
    Duration(u64),
    Field(Field),
    /// A keyword.
    Keyword(&'static str),
    /// Any other identifier; includes its dots in lenient mode.
    Identifier(String),
    /// Invalid text, with the error message.
    Invalid(String),
    End,
}

/// An operator token, independent of its operand types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Matches,
    NotTilde,
    Tilde,
    Descendant,
    Ancestor,
    NotChild,
    NotParent,
    NotDescendant,
    NotAncestor,
    UnionChild,
    UnionParent,
    UnionDescendant,
    UnionAncestor,
    UnionSibling,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
    Not,
}

/// Longer symbols precede their prefixes.
const OPERATORS: &[(&str, Op)] = &[
    ("!>>", Op::NotDescendant),
    ("!<<", Op::NotAncestor),
    ("&>>", Op::UnionDescendant),
    ("&<<", Op::UnionAncestor),
    ("&&", Op::And),
    ("||", Op::Or),
    ("!=", Op::NotEqual),
    ("!~", Op::NotTilde),
    ("!>", Op::NotChild),
    ("!<", Op::NotParent),
    ("&>", Op::UnionChild),
    ("&<", Op::UnionParent),
    ("&~", Op::UnionSibling),
    ("=~", Op::Matches),
    ("<=", Op::LessEqual),
    (">=", Op::GreaterEqual),
    (">>", Op::Descendant),
    ("<<", Op::Ancestor),
    ("=", Op::Equal),
    ("<", Op::Less),
    (">", Op::Greater),
    ("~", Op::Tilde),
    ("!", Op::Not),
    ("+", Op::Add),
    ("-", Op::Subtract),
    ("*", Op::Multiply),
    ("/", Op::Divide),
    ("%", Op::Modulo),
    ("^", Op::Power),
];

impl Op {
    /// Source text of the operator.
    pub(crate) fn symbol(self) -> &'static str {
        OPERATORS.iter().find(|(_, op)| *op == self).map_or("", |(symbol, _)| symbol)
    }
}

/// All tokens of a text; the last one is the end or an error token.
pub(crate) fn lex(text: &str, mode: Mode, warnings: &mut Warnings) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, mode, warnings };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let start = lexer.at;
        let kind = lexer.token().unwrap_or_else(TokenKind::Invalid);
        let last = matches!(kind, TokenKind::End | TokenKind::Invalid(_));
        tokens.push(Token { kind, start, end: lexer.at });
        if last {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    mode: Mode,
    warnings: &'a mut Warnings,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        while let Some(next) = self.rest().chars().next() {
            if next == '#' && self.mode == Mode::Lenient {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if next.is_whitespace() {
                self.at += next.len_utf8();
            } else {
                return;
            }
        }
    }

    fn token(&mut self) -> Result<TokenKind, String> {
        let rest = self.rest();
        let mut chars = rest.chars();
        let Some(first) = chars.next() else { return Ok(TokenKind::End) };
        let second = chars.next();
        let single = match first {
            '{' => Some(TokenKind::OpenBrace),
            '}' => Some(TokenKind::CloseBrace),
            '(' => Some(TokenKind::OpenParen),
            ')' => Some(TokenKind::CloseParen),
            ',' => Some(TokenKind::Comma),
            '|' if second != Some('|') => Some(TokenKind::Pipe),
            _ => None,
        };
        if let Some(kind) = single {
            self.at += 1;
            return Ok(kind);
        }
        match first {
            '"' | '`' => self.take(lex_text::text(rest)),
            '\'' => self.single_quoted(),
            '0'..='9' => self.take(lex_number::number(rest)),
            '.' if second.is_some_and(|next| next.is_ascii_digit()) => self.take(lex_number::number(rest)),
            '.' => self.take(lex_name::unscoped(rest)),
            _ if first.is_alphabetic() || first == '_' => self.word(),
            _ => self.operator(),
        }
    }

    /// Advances past the token, or past the invalid part.
    fn take(&mut self, read: (Result<TokenKind, String>, usize)) -> Result<TokenKind, String> {
        let (kind, length) = read;
        self.at += length;
        kind
    }

    /// An error in strict mode, a warning in lenient mode.
    fn warn_or_fail(&mut self, mistake: &str) -> Result<(), String> {
        match self.mode {
            Mode::Strict => Err(mistake.to_owned()),
            Mode::Lenient => {
                self.warnings.add(mistake);
                Ok(())
            }
        }
    }

    fn single_quoted(&mut self) -> Result<TokenKind, String> {
        self.warn_or_fail("strings take double quotes in TraceQL, not single quotes")?;
        self.take(lex_text::text(self.rest()))
    }

    fn operator(&mut self) -> Result<TokenKind, String> {
        let rest = self.rest();
        if rest.starts_with("==") {
            self.at += 2;
            return self.warn_or_fail("`==` is written `=` in TraceQL").map(|()| TokenKind::Op(Op::Equal));
        }
        if let Some((symbol, op)) = OPERATORS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            self.at += symbol.len();
            return Ok(TokenKind::Op(*op));
        }
        let unknown = rest.chars().next().unwrap_or_default();
        self.at += unknown.len_utf8();
        Err(format!("unexpected character `{}`", unknown.escape_debug()))
    }

    fn word(&mut self) -> Result<TokenKind, String> {
        let rest = self.rest();
        let length = rest.find(|next: char| !(next.is_alphanumeric() || next == '_')).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        match after.chars().next() {
            Some('.') if lex_name::is_scope(word) => return self.take(lex_name::scoped(rest)),
            Some(':') if lex_name::has_intrinsics(word) => return self.take(lex_name::scoped_intrinsic(rest)),
            Some('.') if self.mode == Mode::Lenient && after.chars().nth(1).is_some_and(is_name_char) => {
                return self.bare_name();
            }
            _ => {}
        }
        match lex_words::reserved_word(word) {
            Some(ReservedWord::Keyword(keyword)) => self.take((Ok(TokenKind::Keyword(keyword)), length)),
            Some(ReservedWord::Intrinsic(intrinsic)) => {
                self.take((Ok(TokenKind::Field(Field::Intrinsic(intrinsic))), length))
            }
            None if self.mode == Mode::Lenient => match lex_words::spelled_operator(word) {
                Some(op) => {
                    self.warnings.add(&format!("`{word}` is written `{}` in TraceQL", op.symbol()));
                    self.take((Ok(TokenKind::Op(op)), length))
                }
                None => self.bare_name(),
            },
            None => self.take((Ok(TokenKind::Identifier(word.to_owned())), length)),
        }
    }

    fn bare_name(&mut self) -> Result<TokenKind, String> {
        let (name, length) = lex_name::name(self.rest());
        self.take((name.map(TokenKind::Identifier), length))
    }
}
