//! What was not met, of each section, in the words of the list of what is explained.

use std::collections::BTreeSet;

use super::{Findings, Section, cards, effects, events};
use crate::judge::coverage::Mark;
use crate::lang::ast::Span;
use crate::report::explained::{About, Entry, Gap};
use crate::report::parts::{Owner, Unit};

/// A gap that is told.
pub(super) struct Told {
    /// The gap.
    pub(super) gap: Gap,
    /// Where it belongs.
    pub(super) section: Section,
    /// Where what it is of stands.
    pub(super) at: Span,
}

/// What was not met.
#[derive(Default)]
pub(super) struct Gaps {
    /// All of it.
    all: BTreeSet<Gap>,
    /// What is told: of a rule that was never at work the rule alone, of a part the part alone.
    pub(super) told: Vec<Told>,
    /// Everything that an entry may name.
    known: BTreeSet<Gap>,
}

impl Gaps {
    /// Something that may be a gap, is one if it is open, and is told unless what it is a part of is.
    pub(super) fn add(&mut self, gap: Gap, section: Section, at: Span, open: bool, told: bool) {
        self.known.insert(gap.clone());
        if !open {
            return;
        }
        self.all.insert(gap.clone());
        if told {
            self.told.push(Told { gap, section, at });
        }
    }

    /// What is wrong with an entry of the list.
    pub(super) fn fault(&self, f: &Findings, e: &Entry) -> Option<String> {
        let there = self.known.iter().any(|k| k.about == e.gap.about && k.name == e.gap.name);
        let asleep = e.gap.about == About::Law && !there && f.names.contains(&e.gap.name.as_str());
        if self.all.contains(&e.gap) || asleep {
            return None;
        }
        Some(match (self.known.contains(&e.gap), there, e.gap.about) {
            (true, ..) => format!("this is not needed, since it was met: {}", e.gap),
            (false, true, About::Law) => format!("the rule has no such part or conjunct: {}", e.gap),
            (false, true, _) => format!("there is no such part of it: {}", e.gap),
            (false, false, About::Law) => format!("no rule is named `{}`", e.gap.name),
            (false, false, _) => format!("nothing is named so: {}", e.gap),
        })
    }
}

/// All that was not met.
pub(super) fn gaps(f: &Findings) -> Gaps {
    let mut gaps = Gaps::default();
    f.owners.law.iter().for_each(|owner| of_law(f, owner, &mut gaps));
    events::gaps(f, &mut gaps);
    cards::gaps(f, &mut gaps);
    effects::gaps(f, &mut gaps);
    gaps
}

/// Parts of one rule that have one text are one: it is covered if each of them is.
fn of_law(f: &Findings, owner: &Owner, gaps: &mut Gaps) {
    let gap = |part: Option<&Unit>, conjunct: Option<(String, bool)>| Gap {
        about: About::Law,
        name: owner.name.clone(),
        part: part.map(|u| u.text.clone()),
        conjunct,
    };
    let idle = |u: &Unit| !f.met.has(Mark::Part(u.part));
    let all_idle = owner.units.iter().all(idle);
    gaps.add(gap(None, None), Section::Rules, owner.span, all_idle, true);
    for unit in &owner.units {
        gaps.add(gap(Some(unit), None), Section::Rules, unit.span, idle(unit), !all_idle);
        for c in &unit.conjuncts {
            for truth in [true, false] {
                let open = !f.met.has(Mark::Truth(c.place, c.number, truth));
                let gap = gap(Some(unit), Some((c.text.clone(), truth)));
                gaps.add(gap, Section::Conjuncts, unit.span, open, !idle(unit));
            }
        }
    }
}
