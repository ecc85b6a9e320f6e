//! Cards and archetypes: which are dealt or given, which of their clauses and keywords were at work, which were ever face
//! down or turned up. What they ask is told and is no gap: a card is a sample, and no law.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::gaps::Gaps;
use super::{Findings, PartCoverage, Section, part};
use crate::judge::coverage::Mark;
use crate::lang::tree::{Card, CardId, KeywordId, Program};
use crate::report::explained::{About, Gap};
use crate::report::model::place;
use crate::report::parts::Owner;

/// A card or archetype.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CardCoverage {
    /// `card` or `archetype`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Where it stands, as `path:line:column`.
    pub place: String,
    /// The worlds that deal it.
    pub worlds: Vec<String>,
    /// The rulings that give it.
    pub rulings: Vec<String>,
    /// Its clauses.
    pub parts: Vec<PartCoverage>,
    /// Its keywords that have clauses which their object carries.
    pub keywords: Vec<KeywordCoverage>,
    /// In how many worlds and rulings it was face down.
    pub face_down: usize,
    /// In how many it was turned face up.
    pub turned_up: usize,
}

/// A keyword of a card.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct KeywordCoverage {
    /// The keyword.
    pub keyword: String,
    /// The worlds in which a clause of it did something that this card carried.
    pub worlds: Vec<String>,
    /// The rulings in which one did.
    pub rulings: Vec<String>,
}

/// The cards, as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Cards {
    /// Cards and archetypes.
    pub cards: usize,
    /// Those that a world deals or a ruling gives.
    pub dealt: usize,
    /// Those that were face down somewhere.
    pub face_down: usize,
    /// Those that were turned face up somewhere.
    pub turned_up: usize,
    /// Their clauses.
    pub clauses: usize,
    /// Those that were at work.
    pub clauses_at_work: usize,
    /// Their keywords that have clauses which their object carries.
    pub keywords: usize,
    /// Those that were at work on the card.
    pub keywords_at_work: usize,
    /// The conjuncts of their guards and targets, and of conditions and filters of bodies.
    pub conjuncts: usize,
    /// Those that were true and false.
    pub conjuncts_both: usize,
}

impl Cards {
    /// Counts them.
    pub(super) fn of(list: &[CardCoverage]) -> Cards {
        let met = |worlds: &[String], rulings: &[String]| !worlds.is_empty() || !rulings.is_empty();
        let parts = || list.iter().flat_map(|c| &c.parts);
        let keywords = || list.iter().flat_map(|c| &c.keywords);
        let conjuncts = || parts().flat_map(|p| &p.conjuncts);
        Cards {
            cards: list.len(),
            dealt: list.iter().filter(|c| met(&c.worlds, &c.rulings)).count(),
            face_down: list.iter().filter(|c| c.face_down > 0).count(),
            turned_up: list.iter().filter(|c| c.turned_up > 0).count(),
            clauses: parts().count(),
            clauses_at_work: parts().filter(|p| met(&p.worlds, &p.rulings)).count(),
            keywords: keywords().count(),
            keywords_at_work: keywords().filter(|k| met(&k.worlds, &k.rulings)).count(),
            conjuncts: conjuncts().count(),
            conjuncts_both: conjuncts().filter(|c| c.seen_true && c.seen_false).count(),
        }
    }
}

/// The card that an owner is.
fn found<'p>(program: &'p Program, owner: &Owner) -> Option<(CardId, &'p Card)> {
    let of_owner = |c: &Card| program.rules[c.rule.index()].span == owner.span;
    let at = program.cards.iter().position(of_owner)?;
    Some((CardId(at as u16), &program.cards[at]))
}

/// Its keywords that have clauses which their object carries.
fn keywords(program: &Program, card: &Card) -> BTreeSet<KeywordId> {
    let looks = std::iter::once(&card.front).chain(&card.back);
    let all = looks.flat_map(|look| &look.keywords).map(|(k, _)| *k);
    all.filter(|k| !program.keywords[k.index()].carried.is_empty()).collect()
}

/// The marks of a keyword at work on a card.
fn carried(program: &Program, card: CardId, keyword: KeywordId) -> Vec<Mark> {
    program.keywords[keyword.index()].carried.iter().map(|clause| Mark::Carried(card, *clause)).collect()
}

/// The worlds among those that were run that deal a card.
fn dealing(f: &Findings, card: CardId) -> Vec<String> {
    let deals = |name: &str| {
        let world = f.program.worlds.iter().find(|w| w.name == name);
        world.is_some_and(|w| w.starts.iter().any(|s| s.options.contains(&card)))
    };
    f.worlds.iter().map(|w| w.name.clone()).filter(|name| deals(name)).collect()
}

/// The rulings that give a card.
fn giving(f: &Findings, card: CardId) -> Vec<String> {
    let rulings = f.program.rulings.iter().filter(|r| r.given.iter().any(|g| g.card == card));
    let names: BTreeSet<String> = rulings.map(|r| r.name.clone()).collect();
    names.into_iter().collect()
}

pub(super) fn card(f: &Findings, owner: &Owner) -> Option<CardCoverage> {
    let (id, card) = found(f.program, owner)?;
    let times = |mark: Mark| f.met.worlds(&[mark]).len() + f.met.rulings(&[mark]).len();
    let keyword = |k: KeywordId| {
        let marks = carried(f.program, id, k);
        KeywordCoverage {
            keyword: f.program.keywords[k.index()].name.clone(),
            worlds: f.met.worlds(&marks),
            rulings: f.met.rulings(&marks),
        }
    };
    Some(CardCoverage {
        kind: owner.kind.to_owned(),
        name: owner.name.clone(),
        place: place(f.sources, owner.span),
        worlds: dealing(f, id),
        rulings: giving(f, id),
        parts: owner.units.iter().map(|u| part(f, u)).collect(),
        keywords: keywords(f.program, card).into_iter().map(keyword).collect(),
        face_down: times(Mark::FaceDown(id)),
        turned_up: times(Mark::TurnedUp(id)),
    })
}

/// A card that nothing deals or gives, a clause of one that never does anything, a keyword that never does anything on it.
pub(super) fn gaps(f: &Findings, gaps: &mut Gaps) {
    for owner in &f.owners.cards {
        let Some((id, card)) = found(f.program, owner) else { continue };
        let gap = |part: Option<String>| Gap { about: About::Card, name: owner.name.clone(), part, conjunct: None };
        let away = dealing(f, id).is_empty() && giving(f, id).is_empty();
        gaps.add(gap(None), Section::Archetypes, owner.span, away, true);
        for unit in &owner.units {
            let idle = !f.met.has(Mark::Part(unit.part));
            gaps.add(gap(Some(unit.text.clone())), Section::Archetypes, unit.span, idle, !away);
        }
        for k in keywords(f.program, card) {
            let idle = !carried(f.program, id, k).into_iter().any(|mark| f.met.has(mark));
            let part = format!("keyword {}", f.program.keywords[k.index()].name);
            gaps.add(gap(Some(part)), Section::Archetypes, owner.span, idle, !away);
        }
    }
}
