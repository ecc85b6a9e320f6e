//! From tokens to the syntax tree, by recursive descent, telling every mistake of a file: after one it goes on at the
//! next clause, line or item. It knows the grammar, and nothing of what a name means.

mod clauses;
mod expressions;
mod items;
mod statements;
mod trials;
mod words;

use super::ast::{File, Ident, Span};
use super::diag::{Code, Diag};
use super::lex::{self, Token, TokenKind};

/// The deepest nesting of expressions and blocks.
pub const NESTING_MAX: usize = 64;

/// The tree of a file, as far as it can be read, and all that is wrong with its grammar.
pub fn parse(file: u16, text: &str) -> (File, Vec<Diag>) {
    let (tokens, diags) = lex::lex(file, text);
    let outcome = parse_tokens(text, &tokens, diags);
    (outcome.file, outcome.diags)
}

/// What the formatter needs besides the tree.
pub(super) struct Outcome {
    /// The tree.
    pub(super) file: File,
    /// All findings, by place.
    pub(super) diags: Vec<Diag>,
    /// Where things start that may stand on a line of their own, by place.
    pub(super) marks: Vec<(u32, Mark)>,
}

/// What starts at a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    /// An item, a clause, a statement of a block, a line of a world or ruling.
    Line,
    /// The one statement that is the body of a clause or of another statement.
    Body,
}

/// Parses tokens that were already made.
pub(super) fn parse_tokens(text: &str, tokens: &[Token], diags: Vec<Diag>) -> Outcome {
    let tokens = tokens.iter().filter(|t| t.kind != TokenKind::Comment).copied().collect();
    let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut parser = Parser { text, lines, tokens, at: 0, open: 0, depth: 0, diags, marks: Vec::new() };
    let file = parser.file();
    let mut diags = parser.diags;
    diags.sort_by_key(|d| (d.span, d.code));
    Outcome { file, diags, marks: parser.marks }
}

/// A part could not be read, and why has been told.
#[derive(Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'a> {
    text: &'a str,
    /// Where each line starts, in bytes.
    lines: Vec<usize>,
    /// Without comments; the last is the end.
    tokens: Vec<Token<'a>>,
    /// The next token.
    at: usize,
    /// How many `{` are open before the next token.
    open: usize,
    /// How many expressions and blocks are being read.
    depth: usize,
    diags: Vec<Diag>,
    marks: Vec<(u32, Mark)>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.peek_after(0)
    }

    /// The token `skip` places after the next.
    fn peek_after(&self, skip: usize) -> Token<'a> {
        let last = self.tokens.len().saturating_sub(1);
        self.tokens[(self.at + skip).min(last)]
    }

    fn bump(&mut self) -> Token<'a> {
        let token = self.peek();
        if token.is_symbol("{") {
            self.open += 1;
        } else if token.is_symbol("}") {
            self.open = self.open.saturating_sub(1);
        }
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    fn at_word(&self, word: &str) -> bool {
        self.peek().is_word(word)
    }

    fn at_symbol(&self, symbol: &str) -> bool {
        self.peek().is_symbol(symbol)
    }

    /// Whether the next token is a word of this list.
    fn at_word_of(&self, words: &[&str]) -> bool {
        let token = self.peek();
        token.kind == TokenKind::Name && words.contains(&token.text)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.at_symbol(symbol);
        if found {
            self.bump();
        }
        found
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.fail_among(&format!("`{word}`"), &[word])) }
    }

    fn symbol(&mut self, symbol: &str) -> Parsed<()> {
        if self.eat_symbol(symbol) { Ok(()) } else { Err(self.fail(&format!("`{symbol}`"))) }
    }

    /// A token of this kind.
    fn kind(&mut self, kind: TokenKind, expected: &str) -> Parsed<Token<'a>> {
        if self.peek().kind == kind { Ok(self.bump()) } else { Err(self.fail(expected)) }
    }

    /// A name that is no reserved word.
    fn name(&mut self, expected: &str) -> Parsed<Ident> {
        let word = self.peek();
        if !words::reserved(word.text) {
            return self.any_name(expected);
        }
        let failed = self.fail(expected);
        if expected.starts_with("the name of") || expected.starts_with("a name") {
            self.hint(&format!("`{}` is a word of the language: choose another name", word.text));
        }
        Err(failed)
    }

    /// A name where the grammar leaves no doubt that it is one, as before `:` or after `.`.
    fn any_name(&mut self, expected: &str) -> Parsed<Ident> {
        let token = self.kind(TokenKind::Name, expected)?;
        Ok(Ident { text: token.text.to_owned(), span: token.span })
    }

    fn string(&mut self, expected: &str) -> Parsed<Ident> {
        let token = self.kind(TokenKind::Str, expected)?;
        Ok(Ident { text: unquoted(token.text).to_owned(), span: token.span })
    }

    fn name_or_string(&mut self, expected: &str) -> Parsed<Ident> {
        if self.peek().kind == TokenKind::Str { self.string(expected) } else { self.name(expected) }
    }

    /// A number, or a signed one if `kind` says so.
    fn number(&mut self, kind: TokenKind, expected: &str) -> Parsed<i32> {
        let token = self.kind(kind, expected)?;
        Ok(token.text.parse().unwrap_or_else(|_| {
            self.diags.push(Diag::new(Code::L238, token.span, format!("the number `{}` is out of range", token.text)));
            0
        }))
    }

    /// One part or more, with commas between them.
    fn listed<T>(&mut self, mut part: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut parts = vec![part(self)?];
        while self.eat_symbol(",") {
            parts.push(part(self)?);
        }
        Ok(parts)
    }

    fn names(&mut self, expected: &str) -> Parsed<Vec<Ident>> {
        self.listed(|p| p.name(expected))
    }

    /// One level deeper, or L105.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= NESTING_MAX {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self) -> Failed {
        let message = format!("this is nested deeper than the limit {NESTING_MAX}");
        self.diags.push(
            Diag::new(Code::L105, self.peek().span, message).help("name a part of it with `define` or `procedure`"),
        );
        Failed
    }

    /// From the start of `first` to the end of the last token read.
    fn since(&self, first: Span) -> Span {
        match self.at.checked_sub(1) {
            Some(last) => first.to(self.tokens[last].span),
            None => first,
        }
    }

    fn mark(&mut self, mark: Mark) {
        self.marks.push((self.peek().span.start, mark));
    }

    /// Tells that something else was expected where the next token stands.
    fn fail(&mut self, expected: &str) -> Failed {
        self.fail_among(expected, &[])
    }

    /// The same, with a hint if the next token is nearly one of these words.
    fn fail_among(&mut self, expected: &str, words: &[&str]) -> Failed {
        let found = self.peek();
        self.fail_at(found, expected, words)
    }

    fn fail_at(&mut self, found: Token, expected: &str, words: &[&str]) -> Failed {
        let told = self.diags.last().is_some_and(|d| d.span == found.span);
        if !told {
            let mut diag = Diag::new(Code::L103, found.span, format!("expected {expected}, found {}", shown(found)));
            if found.kind == TokenKind::Name
                && let Some(word) = words::nearest(found.text, words)
            {
                diag.help = Some(format!("did you mean `{word}`?"));
            }
            self.diags.push(diag);
        }
        Failed
    }

    /// Adds a help line to what was just told, if it has none.
    fn hint(&mut self, help: &str) {
        if let Some(last) = self.diags.last_mut()
            && last.help.is_none()
        {
            last.help = Some(help.to_owned());
        }
    }

    /// `{ part … }`; after a part that fails it goes on at the next line that starts with one of `words`.
    fn braced(&mut self, words: &[&str], mut part: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        let brace = self.peek();
        self.symbol("{")?;
        let inside = self.open;
        while !self.eat_symbol("}") {
            if self.at_end() || self.at_outer_item() {
                self.unclosed(brace);
                self.open = inside - 1;
                return Ok(());
            }
            let before = self.at;
            if part(self).is_err() {
                self.skip_to(inside, before, words);
            }
        }
        Ok(())
    }

    fn unclosed(&mut self, brace: Token) {
        let found = self.peek();
        self.fail_at(found, "`}`", &[]);
        let line = self.line(brace);
        self.hint(&format!("the `{{` of line {line} is not closed"));
    }

    /// Skips what is left of a part that failed; `inside` counts the braces that were open before it. The next part
    /// is a line that starts with one of `words`, or stands no further in than the part that failed.
    fn skip_to(&mut self, inside: usize, before: usize, words: &[&str]) {
        while !self.at_end() && !self.at_outer_item() {
            if self.open <= inside {
                let next = self.peek();
                let starts = self.at > before && next.kind == TokenKind::Name && self.starts_line();
                let level = || self.column(next) <= self.column(self.tokens[before]) && !words::reserved(next.text);
                if self.at_symbol("}") || starts && (words.contains(&next.text) || level()) {
                    return;
                }
            }
            self.bump();
        }
    }

    /// The line of a token, from 1.
    fn line(&self, token: Token) -> usize {
        self.lines.partition_point(|start| *start <= token.span.start as usize)
    }

    /// How many bytes stand before a token on its line.
    fn column(&self, token: Token) -> usize {
        let start = self.line(token).checked_sub(1).map_or(0, |line| self.lines[line]);
        token.span.start as usize - start
    }

    /// Whether the next token is the first of its line.
    fn starts_line(&self) -> bool {
        let before = &self.text[..self.peek().span.start as usize];
        let before = before.trim_end_matches([' ', '\t', '\r', '\u{feff}']);
        before.is_empty() || before.ends_with('\n')
    }

    /// Whether an item starts at the next token.
    fn at_item(&self) -> bool {
        let after = self.peek_after(1).kind;
        self.at_word_of(&words::ITEMS) && matches!(after, TokenKind::Name | TokenKind::Str | TokenKind::Date)
    }

    /// Whether an item starts here at the very start of a line: then whatever is still open was forgotten.
    fn at_outer_item(&self) -> bool {
        let start = self.peek().span.start as usize;
        self.at_item() && (start == 0 || self.text[..start].ends_with(['\n', '\u{feff}']))
    }
}

/// A string token without its quotes; a string that does not end has only one.
fn unquoted(text: &str) -> &str {
    let inside = text.strip_prefix('"').unwrap_or(text);
    inside.strip_suffix('"').unwrap_or(inside)
}

fn shown(token: Token) -> String {
    match token.kind {
        TokenKind::End => "the end of the file".to_owned(),
        _ => format!("`{}`", token.text),
    }
}
