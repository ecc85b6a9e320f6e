//! The formatter: spaces, indentation and blank lines by rule; words, line breaks and comments as the author put them.
//! It changes no token and no order, and knows no meaning.

use super::diag::Diag;
use super::lex::{self, Token, TokenKind};
use super::parse::{self, Mark};

/// Spaces that a line stands further in than the line that its block or body belongs to.
const STEP: usize = 2;

/// Spaces that the second line of a clause or expression stands further in than its first.
const CONTINUATION: usize = 4;

/// The text with its spaces put right; the findings if it does not parse.
pub fn format(text: &str) -> Result<String, Vec<Diag>> {
    let (tokens, diags) = lex::lex(0, text);
    let outcome = parse::parse_tokens(text, &tokens, diags);
    if !outcome.diags.is_empty() {
        return Err(outcome.diags);
    }
    let mut printer = Printer {
        text,
        marks: outcome.marks,
        out: String::with_capacity(text.len()),
        blocks: vec![Block { close: 0, child: 0, last: 0 }],
    };
    printer.print(&tokens);
    Ok(printer.out)
}

/// A brace that is open, with the indentation of the lines that belong to it.
struct Block {
    /// Of its `}`.
    close: usize,
    /// Of what stands in it.
    child: usize,
    /// Of the line on which the last thing in it started.
    last: usize,
}

struct Printer<'a> {
    text: &'a str,
    marks: Vec<(u32, Mark)>,
    out: String,
    /// The outermost is the file itself and never closed.
    blocks: Vec<Block>,
}

impl Printer<'_> {
    fn print(&mut self, tokens: &[Token]) {
        let mut indent = 0;
        let mut first_in_line = true;
        for (at, token) in tokens.iter().enumerate() {
            if token.kind == TokenKind::End {
                break;
            }
            let previous = at.checked_sub(1).map(|i| tokens[i]);
            let breaks = previous.map_or(1, |p| self.gap(p, *token).matches('\n').count());
            if breaks > 0 {
                if previous.is_some() {
                    self.out.push_str(if breaks > 1 { "\n\n" } else { "\n" });
                }
                let after_colon = tokens[..at].iter().rev().find(|t| t.kind != TokenKind::Comment);
                indent = self.indent(&tokens[at..], after_colon.is_some_and(|t| t.is_symbol(":")));
                self.out.extend(std::iter::repeat_n(' ', indent));
            } else if let Some(previous) = previous {
                let spaces = self.spaces(previous, *token, first_in_line);
                self.out.extend(std::iter::repeat_n(' ', spaces));
            }
            self.out.push_str(token.text);
            first_in_line = breaks > 0;
            self.follow(*token, indent);
        }
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// What the author put between two tokens.
    fn gap(&self, left: Token, right: Token) -> &str {
        self.text.get(left.span.end as usize..right.span.start as usize).unwrap_or("")
    }

    fn mark(&self, token: Token) -> Option<Mark> {
        let found = self.marks.binary_search_by_key(&token.span.start, |(start, _)| *start).ok()?;
        Some(self.marks[found].1)
    }

    /// The indentation of a line with these tokens and more; a comment goes with what follows it.
    fn indent(&self, line: &[Token], after_colon: bool) -> usize {
        let Some(block) = self.blocks.last() else { return 0 };
        let comment = line.first().is_some_and(|t| t.kind == TokenKind::Comment);
        let Some(first) = line.iter().find(|t| t.kind != TokenKind::Comment) else { return block.child };
        match self.mark(*first) {
            Some(Mark::Line) => block.child,
            Some(Mark::Body) => block.last + STEP,
            None if first.kind == TokenKind::End => block.child,
            None if first.is_symbol("}") && comment => block.child,
            None if first.is_symbol("}") => block.close,
            None if first.is_symbol("{") => block.last,
            None if after_colon => block.last + STEP,
            None => block.last + CONTINUATION,
        }
    }

    /// Keeps the blocks in step with a token that stands on a line of this indentation.
    fn follow(&mut self, token: Token, indent: usize) {
        let starts = self.mark(token).is_some();
        let Some(block) = self.blocks.last_mut() else { return };
        if starts {
            block.last = indent;
        }
        let last = block.last;
        if token.is_symbol("{") {
            self.blocks.push(Block { close: last, child: last + STEP, last: last + STEP });
        } else if token.is_symbol("}") && self.blocks.len() > 1 {
            self.blocks.pop();
        }
    }

    /// How many spaces stand between two tokens of one line. Where authors align columns, their spaces are kept.
    fn spaces(&self, left: Token, right: Token, left_is_first: bool) -> usize {
        let gap = self.gap(left, right).chars().count().max(1);
        if right.kind == TokenKind::Comment {
            return gap;
        }
        if !spaced(left, right) {
            return 0;
        }
        let aligned = left_is_first
            || left.is_symbol(":")
            || right.kind == TokenKind::Str
            || right.is_symbol("=")
            || right.is_symbol("{")
            || ["when", "as", "pay", "lasts"].iter().any(|word| right.is_word(word))
            || self.mark(right).is_some();
        if aligned { gap } else { 1 }
    }
}

/// Whether a space belongs between two tokens of one line.
fn spaced(left: Token, right: Token) -> bool {
    /// After these words a bracket opens an expression; after any other it opens the arguments of a call.
    const BEFORE_EXPRESSION: [&str; 18] = [
        "and", "or", "not", "if", "where", "when", "always", "possible", "among", "by", "sized", "paying", "choosing",
        "then", "else", "give", "more", "less",
    ];
    let symbol = |token: Token, of: &[&str]| token.kind == TokenKind::Symbol && of.contains(&token.text);
    if symbol(left, &["(", ".", "/"]) || symbol(right, &[")", ",", ":", ".", "/"]) {
        return false;
    }
    if right.is_symbol("(") {
        return left.kind != TokenKind::Name || BEFORE_EXPRESSION.contains(&left.text);
    }
    !(left.kind == TokenKind::Mana && right.kind == TokenKind::Mana)
}
