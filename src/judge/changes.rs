//! What differs between two rulebooks as they are in force: item by item, by name, whatever stands between the words. It
//! runs nothing; it tells which clause of one is which clause of the other, and which rules can be what makes a difference.

use std::collections::{BTreeMap, BTreeSet};

use crate::lang::ast::{File, Span};
use crate::lang::items::{Written, first_difference, text_of, written};
use crate::lang::source::Sources;
use crate::lang::tree::{ClauseId, ClauseKind, Program, RuleId};

/// One of two rulebooks.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its files.
    pub sources: &'a Sources,
    /// Their trees.
    pub files: &'a [File],
    /// What was made of them.
    pub program: &'a Program,
}

/// How an item differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// The new rulebook alone has it in force.
    Added,
    /// The old one alone.
    Deleted,
    /// They say something else.
    Changed,
    /// They say the same; a sentence, a citation or a date differs.
    Reworded,
}

impl How {
    /// Its word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            How::Added => "added",
            How::Deleted => "deleted",
            How::Changed => "changed",
            How::Reworded => "reworded",
        }
    }

    /// Whether the item says the same on both sides.
    pub fn says_the_same(self) -> bool {
        self == How::Reworded
    }
}

/// An item that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// As [`Written::kind`].
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// How it differs.
    pub how: How,
    /// Its first words in the old rulebook.
    pub old: Option<Span>,
    /// Its first words in the new one.
    pub new: Option<Span>,
    /// Where the two first differ, in the old one and in the new one.
    pub first: Option<(Span, Span)>,
}

impl Change {
    /// Whether it changes what may happen: a rule, a keyword, a card or a word, and more than its description.
    pub fn is_of_the_law(&self) -> bool {
        self.how != How::Reworded
            && matches!(self.kind, "rule" | "keyword" | "card" | "archetype" | "subtype" | "counter")
    }
    /// `rule stays-down`
    pub fn title(&self) -> String {
        format!("{} {}", self.kind, self.name).trim_end().to_owned()
    }
}

/// Every item that differs, by kind and name; what is in force on neither side is passed over.
pub fn changes(old: &Side, new: &Side) -> Vec<Change> {
    let (before, after) = (in_force(old), in_force(new));
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let differs = |(kind, name): &(&'static str, &str)| {
        let change = |how, old: Option<&Written>, new: Option<&Written>, first| Change {
            kind,
            name: (*name).to_owned(),
            how,
            old: old.map(|w| w.head),
            new: new.map(|w| w.head),
            first,
        };
        match (before.get(&(*kind, *name)), after.get(&(*kind, *name))) {
            (Some(a), Some(b)) if a.says_what(b) && a.is_worded_as(b) => None,
            (Some(a), Some(b)) => {
                // What is declared decides nothing by itself: the edition and the readings are told apart.
                let declares = matches!(*kind, "reading" | "edition");
                let how = if a.says_what(b) || declares { How::Reworded } else { How::Changed };
                Some(change(how, Some(a), Some(b), first_difference(a, b)))
            }
            (Some(a), None) => Some(change(How::Deleted, Some(a), None, None)),
            (None, b) => Some(change(How::Added, None, b, None)),
        }
    };
    keys.into_iter().filter_map(differs).collect()
}

fn in_force<'a>(side: &Side<'a>) -> BTreeMap<(&'static str, &'a str), Written<'a>> {
    let p = side.program;
    let named: BTreeSet<Span> = p.rules.iter().map(|r| r.span).chain(p.worlds.iter().map(|w| w.span)).collect();
    let whole: Vec<Span> = p.properties.iter().map(|x| x.span).chain(p.rulings.iter().map(|r| r.span)).collect();
    let inside = |s: &Span, of: Span| s.file == of.file && s.start <= of.start && of.end <= s.end;
    let stands = |w: &Written| match w.kind {
        "subtype" | "counter" | "reading" | "edition" => true,
        "property" | "witness" | "conjecture" | "ruling" => whole.iter().any(|s| inside(s, w.named)),
        _ => named.contains(&w.named),
    };
    written(side.sources, side.files).into_iter().filter(stands).map(|w| ((w.kind, w.name), w)).collect()
}

/// For each clause of the old program the clause of the new one that is the same, or is in its place: equal texts of one
/// rule first, then in order those that are of one kind.
pub fn clauses(old: &Side, new: &Side) -> Vec<Option<ClauseId>> {
    let mut map = vec![None; old.program.clauses.len()];
    for (r, rule) in old.program.rules.iter().enumerate() {
        let twin = new.program.rules.iter().position(|n| n.kind == rule.kind && n.name == rule.name);
        let Some(twin) = twin else { continue };
        let mut left = of_rule(new.program, twin);
        let mut open = Vec::new();
        for a in of_rule(old.program, r) {
            let text = text_of(old.sources, old.program.clauses[a].span);
            match left.iter().position(|b| text_of(new.sources, new.program.clauses[*b].span) == text) {
                Some(at) => map[a] = Some(ClauseId(left.remove(at) as u16)),
                None => open.push(a),
            }
        }
        for a in open {
            let kind = &old.program.clauses[a].kind;
            if let Some(at) = left.iter().position(|b| alike(kind, &new.program.clauses[*b].kind)) {
                map[a] = Some(ClauseId(left.remove(at) as u16));
            }
        }
    }
    map
}

/// The places of a rule's clauses.
pub fn of_rule(program: &Program, rule: usize) -> Vec<usize> {
    (0..program.clauses.len()).filter(|c| program.clauses[*c].rule.index() == rule).collect()
}

fn alike(a: &ClauseKind, b: &ClauseKind) -> bool {
    match (a, b) {
        (ClauseKind::Stage(x, ..), ClauseKind::Stage(y, ..)) => x == y,
        (ClauseKind::Permit { ability: x, .. }, ClauseKind::Permit { ability: y, .. }) => x == y,
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// Which rules of a program are among the changes of the law, by number.
pub fn changed_rules(program: &Program, changes: &[Change]) -> Vec<bool> {
    let law: BTreeSet<(&str, &str)> =
        changes.iter().filter(|c| c.is_of_the_law()).map(|c| (c.kind, c.name.as_str())).collect();
    program.rules.iter().map(|r| law.contains(&(r.kind, r.name.as_str()))).collect()
}

/// Whether what objects look like, or who may look at them, can differ in a state that both have: only if a card, a view, a
/// static ability, a permission to look or something that these ask is among the changes.
pub fn looks_may_differ(program: &Program, changed: &[bool]) -> bool {
    let is = |rule: RuleId| changed.get(rule.index()).copied().unwrap_or(false);
    let of_clause = |k: &ClauseKind| matches!(k, ClauseKind::Static(..) | ClauseKind::MayLook { .. });
    program.cards.iter().any(|c| is(c.rule))
        || program.views.iter().any(|v| is(v.rule))
        || program.defines.iter().any(|d| is(d.rule))
        || program.profiles.iter().any(|p| is(p.rule))
        || program.clauses.iter().any(|c| is(c.rule) && of_clause(&c.kind))
}
