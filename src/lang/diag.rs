//! Diagnostics: one lowercase sentence without a final dot, a place, at most one help line, a stable code.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::ast::Span;
use super::source::Sources;

/// A stable error code. Its documentation is the source of `explain CODE` and of the table in the language reference.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal),* $(,)?) => {
        /// Every error code of the language.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
        pub enum Code { $($(#[$doc])* #[doc = $text] $name),* }
        impl Code {
            /// All codes, in order.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];
            /// The code as users see it, `L203`.
            pub fn as_str(self) -> &'static str { match self { $(Code::$name => stringify!($name)),* } }
            /// What it means and what to do next.
            pub fn meaning(self) -> &'static str { match self { $(Code::$name => $text),* } }
            /// What to do next, where the meaning says so after a colon.
            pub fn advice(self) -> Option<&'static str> { self.meaning().split_once(": ").map(|(_, advice)| advice) }
        }
    };
}

codes! {
    L101 = "a character belongs to no word: remove it, or put it into a string",
    L102 = "a string does not end on its line: close it with a double quote",
    L103 = "something else was expected here: see the grammar in docs/LANGUAGE.md",
    L104 = "a file is larger than the limit: split it",
    L105 = "an expression or block is nested deeper than the limit: name parts of it with `define` or `procedure`",
    L106 = "a date is not a day of the calendar: write it as 2026-08-07",
    L201 = "a name is declared nowhere, or not in this edition: correct it, or declare it",
    L202 = "two things have one name, or one thing is said twice: rename one, or take one out",
    L203 = "an expression has the wrong type: compare with the table of types in docs/LANGUAGE.md",
    L204 = "two values that can never be equal are compared: compare values of one type",
    L205 = "a verb has no such label: see its signature in docs/LANGUAGE.md",
    L206 = "a verb needs an argument that is missing: add it",
    L207 = "a verb takes another number of unlabelled arguments: see its signature in docs/LANGUAGE.md",
    L208 = "a name is bound in a head and never used: write `_`, or correct the name",
    L209 = "an event is a name for what happens and can't be done: call the verb behind it",
    L210 = "procedures call each other in a ring: every body must end, so break the ring",
    L211 = "definitions need each other in a ring: break the ring",
    L212 = "a word is no type, supertype, colour or subtype: declare it with `subtype`",
    L213 = "a keyword is not declared: declare it with `keyword`",
    L214 = "a keyword with a cost was given none, or one without was given one: write `morph({G})`, and `flying` without brackets",
    L215 = "something that is no cost stands where a cost must: write mana symbols, `o.view.keyword` or a declared `cost`",
    L216 = "a card is not there: declare it with `card`, or correct its name",
    L217 = "an archetype is not there: declare it with `archetype`, or correct its name",
    L218 = "`self` and `you` mean something only in a card or keyword: name the object in the head",
    L219 = "there is no such layer: they are front, printed, copied, listed, typed, coloured, granted and sized",
    L220 = "two rules of one name are in force in one edition: give them dates that do not overlap",
    L221 = "a citation is no number of the Comprehensive Rules: write it as 708.2b",
    L222 = "a reading has no such value: name one of its declaration",
    L223 = "`since` is not before `until`: a rule must be in force for a day at least",
    L224 = "a permit does nothing that can be judged: call a verb in its body, or say `ability`",
    L225 = "`look` is only permitted, never done: use `show`",
    L226 = "`create` needs `new` and a fresh name: write `create(new t, look: …)`",
    L227 = "a ghost only sets itself: take everything else out of it",
    L228 = "the law can't read a ghost: use a marker",
    L229 = "`was`, `ends`, `tries` and offers are for properties and rulings: ask the state as it is, or a marker",
    L230 = "the law can't ask whether an event happened: use a marker",
    L231 = "the guard of a static asks for a whole view: ask plain `o`, which means the look so far",
    L232 = "a world can allow only a procedure of one player labelled `by`: write `procedure f(by p: Player) { … }`",
    L233 = "the patterns of an `or` bind different names: bind the same ones in each",
    L234 = "a marker or ghost is read and never set: write `set m(o) = yes` where it begins",
    L235 = "a ruling refuses without saying because of what: add `because`",
    L236 = "a property has no premise that can be witnessed: say `every x where …:` or `whenever …:`",
    L237 = "an item needs what the law does not define (`resolve`, view `now`): define it in a rule",
    L238 = "a number is out of range: see LIMITS.md",
    L239 = "something stands where it can't: see docs/LANGUAGE.md",
    L301 = "a state of this world needs more bits than a key holds: make the world smaller",
    L302 = "a world has more of something than the limit: see LIMITS.md",
    L303 = "an input can't be read: name a readable file or folder",
    L304 = "a file of a search can't be written or read: see what the message says of it",
    L401 = "what the ruling says is not so: correct the ruling, or the law; of an offer, write the `permit` that it needs",
    L402 = "the offer is refused by a rule: expect `may not … because` that rule",
    L403 = "the cost can't be paid: give what it needs, or name another after `paying`",
    L404 = "the choice given is not among the candidates: name one that is",
    L405 = "what goes on of itself does not settle: find the clauses that undo or call each other",
    L406 = "more choices were made than given, or fewer: add them to `choosing`",
    L407 = "a value passed its cap: raise the cap or lower a budget",
    L408 = "the program contradicts itself: report it, with the model and the command",
}

/// Characters after which a message is cut, whatever names and numbers it repeats.
const MESSAGE_MAX: usize = 300;

/// One finding about the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diag {
    /// Its code.
    pub code: Code,
    /// One lowercase sentence without a final dot.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to do next, if there is more to say than the advice of the code.
    pub help: Option<String>,
}

impl Diag {
    /// A finding without help.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Diag {
        let mut message: String = message.into();
        if message.len() > MESSAGE_MAX {
            message = message.chars().take(MESSAGE_MAX - 1).chain(['…']).collect();
        }
        Diag { code, message, span, help: None }
    }

    /// The same with a help line.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diag {
        self.help = Some(help.into());
        self
    }
}

/// The findings as text, by path and place; with colours for a terminal if `color` says so.
///
/// Each is `error[L203]: message`, the place as `path:line:column`, the line underlined, and the help line.
pub fn render(sources: &Sources, diags: &[Diag], color: bool) -> String {
    let path = |diag: &Diag| sources.files.get(usize::from(diag.span.file)).map_or("", |f| f.path.as_str());
    let mut sorted: Vec<&Diag> = diags.iter().collect();
    sorted.sort_by(|a, b| {
        (path(a), a.span, a.code, &a.message, &a.help).cmp(&(path(b), b.span, b.code, &b.message, &b.help))
    });
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }.term_width(TEXT_WIDTH);
    let ends: Vec<Vec<usize>> =
        sources.files.iter().map(|f| f.text.match_indices('\n').map(|(at, _)| at).collect()).collect();
    sorted.into_iter().map(|diag| render_one(sources, &ends, diag, &renderer) + "\n\n").collect()
}

/// Columns after which the renderer cuts a source line; fixed, so that the text is the same on every terminal.
const TEXT_WIDTH: usize = 160;

/// One finding; `ends` are the line ends of each file, so that a line is found without reading all before it.
fn render_one(sources: &Sources, ends: &[Vec<usize>], diag: &Diag, renderer: &Renderer) -> String {
    let title = Level::ERROR.primary_title(diag.message.as_str()).id(diag.code.as_str());
    let mut group = match sources.files.get(usize::from(diag.span.file)) {
        Some(file) => {
            let span = shown_span(&file.text, diag.span);
            // Only the lines of the span are handed over, since the renderer reads all that it is given.
            let ends = ends.get(usize::from(diag.span.file)).map_or(&[][..], Vec::as_slice);
            let line = ends.partition_point(|end| *end < span.start);
            let start = line.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |end| end + 1);
            let end = ends.get(ends.partition_point(|end| *end < span.end)).copied().unwrap_or(file.text.len());
            let line = line + 1;
            let underlined = AnnotationKind::Primary.span(span.start - start..span.end - start);
            let lines = Snippet::source(&file.text[start..end]).path(file.path.as_str()).line_start(line);
            title.element(lines.annotation(underlined))
        }
        None => Group::with_title(title),
    };
    if let Some(help) = diag.help.as_deref().or(diag.code.advice()) {
        group = group.element(Level::HELP.message(help));
    }
    renderer.render(&[group])
}

/// The span, kept within the text and within whole characters.
fn shown_span(text: &str, span: Span) -> Range<usize> {
    let whole = |byte: u32| {
        let mut at = (byte as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = whole(span.start);
    start..whole(span.end).max(start)
}
