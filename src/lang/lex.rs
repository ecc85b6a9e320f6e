//! From text to tokens, each with its place; comments are tokens too, for the formatter. It knows no grammar: whether
//! a word is reserved depends on where it stands, and only the parser knows that.

use super::ast::{Date, Span};
use super::diag::{Code, Diag};

/// The most bytes that one file may have.
pub const FILE_BYTES_MAX: usize = 1 << 20;

/// What kind of token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TokenKind {
    /// `turn_up`, `stays-down-once-down`, `_`
    Name,
    /// `12`
    Number,
    /// `+1` or `-1`
    Signed,
    /// `"…"`, with its quotes
    Str,
    /// `2026-08-07`
    Date,
    /// `708.2b`
    Cite,
    /// One symbol, `{2}` or `{G}`
    Mana,
    /// Punctuation
    Symbol,
    /// `# …` to the end of its line, without trailing space
    Comment,
    /// The end of the file, once, last
    End,
}

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<'a> {
    /// What kind.
    pub kind: TokenKind,
    /// Its text, as it stands in the file.
    pub text: &'a str,
    /// Its place.
    pub span: Span,
}

impl Token<'_> {
    /// Whether it is this punctuation.
    pub fn is_symbol(&self, text: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text == text
    }

    /// Whether it is this word.
    pub fn is_word(&self, text: &str) -> bool {
        self.kind == TokenKind::Name && self.text == text
    }
}

/// All tokens of a file, the last one [`TokenKind::End`], and what was wrong.
pub fn lex(file: u16, text: &str) -> (Vec<Token<'_>>, Vec<Diag>) {
    let mut lexer = Lexer { file, text, at: 0, tokens: Vec::new(), diags: Vec::new() };
    if text.len() > FILE_BYTES_MAX {
        let message = format!("the file is larger than the limit {FILE_BYTES_MAX} bytes");
        lexer.report(Code::L104, 0, 0, message).help = Some("split it into several files".into());
        lexer.tokens.push(Token { kind: TokenKind::End, text: "", span: lexer.span(0, 0) });
        return (lexer.tokens, lexer.diags);
    }
    if text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    while let Some(next) = lexer.peek() {
        lexer.token(next);
    }
    let end = lexer.tokens.iter().rev().find(|t| t.kind != TokenKind::Comment).map_or(0, |t| t.span.end as usize);
    lexer.tokens.push(Token { kind: TokenKind::End, text: "", span: lexer.span(end, end) });
    (lexer.tokens, lexer.diags)
}

/// The day that a token of kind [`TokenKind::Date`] names; none if the calendar has no such day.
pub fn date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || (year.len(), month.len(), day.len()) != (4, 2, 2) {
        return None;
    }
    let date = Date { year: year.parse().ok()?, month: month.parse().ok()?, day: day.parse().ok()? };
    let leap = date.year.is_multiple_of(4) && (!date.year.is_multiple_of(100) || date.year.is_multiple_of(400));
    let days = match date.month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    (1..=days).contains(&date.day).then_some(date)
}

/// Longest first.
const SYMBOLS: [&str; 17] = ["==", "!=", "<=", ">=", "{", "}", "(", ")", ":", ",", ".", "=", "<", ">", "|", "+", "/"];

fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic()
}

fn continues_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

struct Lexer<'a> {
    file: u16,
    text: &'a str,
    at: usize,
    tokens: Vec<Token<'a>>,
    diags: Vec<Diag>,
}

impl<'a> Lexer<'a> {
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// How many bytes from `from` on hold only characters that fit.
    fn run(&self, from: usize, fits: impl Fn(char) -> bool) -> usize {
        let rest = self.text.get(from..).unwrap_or("");
        rest.find(|c| !fits(c)).unwrap_or(rest.len())
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { file: self.file, start: byte(start), end: byte(end) }
    }

    fn report(&mut self, code: Code, start: usize, end: usize, message: String) -> &mut Diag {
        let at = self.diags.len();
        self.diags.push(Diag::new(code, self.span(start, end), message));
        &mut self.diags[at]
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        let (start, end) = (self.at, self.at + length);
        let span = self.span(start, end);
        self.tokens.push(Token { kind, text: self.text.get(start..end).unwrap_or(""), span });
        self.at = end;
    }

    fn token(&mut self, next: char) {
        match next {
            c if c.is_whitespace() => self.at += c.len_utf8(),
            '#' => self.comment(),
            '"' => self.string(),
            c if starts_name(c) || c == '_' => self.name(),
            c if c.is_ascii_digit() => self.number(),
            '+' | '-' if self.run(self.at + 1, |c| c.is_ascii_digit()) > 0 => {
                self.push(TokenKind::Signed, 1 + self.run(self.at + 1, |c| c.is_ascii_digit()));
            }
            '{' if self.mana() > 0 => self.push(TokenKind::Mana, self.mana()),
            _ => match SYMBOLS.iter().find(|s| self.rest().starts_with(**s)) {
                Some(symbol) => self.push(TokenKind::Symbol, symbol.len()),
                None => self.stray(),
            },
        }
    }

    fn comment(&mut self) {
        let length = self.run(self.at, |c| c != '\n');
        let end = self.at + length;
        let shown = self.text.get(self.at..end).map_or(0, |t| t.trim_end().len());
        self.push(TokenKind::Comment, shown);
        self.at = end;
    }

    fn string(&mut self) {
        let inside = self.run(self.at + 1, |c| c != '"' && c != '\n' && c != '\r');
        let closed = self.text[self.at + 1 + inside..].starts_with('"');
        if !closed {
            let start = self.at;
            self.report(Code::L102, start, start + 1 + inside, "this string does not end on its line".into()).help =
                Some("close it with `\"`".into());
        }
        self.push(TokenKind::Str, 1 + inside + usize::from(closed));
    }

    fn name(&mut self) {
        let start = self.at;
        let mut end = start;
        loop {
            // Letters beyond ASCII are taken into the word, so that one mistake is told once.
            end += self.run(end, |c| c.is_alphanumeric() || c == '_');
            let after = self.text.get(end + 1..).and_then(|t| t.chars().next());
            let joined = self.text[end..].starts_with('-') && after.is_some_and(|c| c.is_ascii_alphanumeric());
            if !joined {
                break;
            }
            end += 1;
        }
        let word = &self.text[start..end];
        if let Some(bad) = word.chars().find(|c| !continues_name(*c) && *c != '-') {
            self.report(Code::L101, start, end, format!("the character `{bad}` belongs to no word")).help =
                Some("names have letters of ASCII, digits, `_` and `-`".into());
        } else if word.starts_with('_') && word != "_" {
            self.report(Code::L101, start, end, "a name can't start with `_`".into());
        }
        self.push(TokenKind::Name, end - start);
    }

    fn number(&mut self) {
        let digits = self.run(self.at, |c| c.is_ascii_digit());
        let after = &self.text[self.at + digits..];
        let second = |mark: char| after.starts_with(mark) && after[1..].starts_with(|c: char| c.is_ascii_digit());
        if digits == 3 && second('.') {
            let length = digits + 1 + self.run(self.at + digits + 1, |c| c.is_ascii_alphanumeric());
            let word = &self.text[self.at..self.at + length];
            let tail = word[4..].trim_start_matches(|c: char| c.is_ascii_digit());
            if !(tail.is_empty() || tail.len() == 1 && tail.starts_with(|c: char| c.is_ascii_lowercase())) {
                let message = format!("`{word}` is no number of the Comprehensive Rules");
                self.report(Code::L221, self.at, self.at + length, message).help = Some("write it as 708.2b".into());
            }
            self.push(TokenKind::Cite, length);
        } else if digits == 4 && second('-') {
            let length = self.run(self.at, |c| c.is_ascii_digit() || c == '-');
            let word = &self.text[self.at..self.at + length];
            if date(word).is_none() {
                self.report(Code::L106, self.at, self.at + length, format!("`{word}` is not a day of the calendar"))
                    .help = Some("write it as 2026-08-07".into());
            }
            self.push(TokenKind::Date, length);
        } else {
            self.push(TokenKind::Number, digits);
        }
    }

    /// The length of the mana symbol that stands here, or 0.
    fn mana(&self) -> usize {
        let inside = self.run(self.at + 1, |c| c.is_ascii_alphanumeric());
        let word = &self.text[self.at + 1..self.at + 1 + inside];
        let closed = self.text[self.at + 1 + inside..].starts_with('}');
        let number = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
        if closed && (number || ["W", "U", "B", "R", "G", "C", "X"].contains(&word)) { inside + 2 } else { 0 }
    }

    /// One finding for a run of characters that belong to nothing.
    fn stray(&mut self) {
        let start = self.at;
        while let Some(c) = self.peek() {
            let known = c.is_whitespace()
                || c.is_ascii_alphanumeric()
                || "#\"_".contains(c)
                || SYMBOLS.iter().any(|s| self.rest().starts_with(s));
            if known {
                break;
            }
            self.at += c.len_utf8();
        }
        let run = &self.text[start..self.at];
        let shown: String = run.chars().take(8).flat_map(char::escape_debug).collect();
        let what = if run.chars().nth(1).is_some() { "these characters belong" } else { "this character belongs" };
        let message = format!("{what} to no word: `{shown}`");
        let end = self.at;
        self.report(Code::L101, start, end, message);
    }
}
