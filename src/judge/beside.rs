//! Two rulebooks compared in one world: the states that both have in common, each step of them on both sides, and a shortest
//! play for each way in which they part. It says which change makes the difference: the one change of the law, what the runs
//! and refusals show, else the change without which the difference goes.

use std::collections::BTreeSet;

use super::changes::{self, Change, Side, changed_rules, looks_may_differ, of_rule};
use super::parting::{Beside, Parting, PartingKind};
use super::play::{Play, PlayStep};
use super::run::ExploreOptions;
use super::world::{bounded, measured, on_threads, tell, tell_step};
use crate::explore::beside::{Beside as Second, Difference, Kind};
use crate::explore::trace::Path;
use crate::explore::world::{Explored, explore_beside, setting, starts};
use crate::game::record::State;
use crate::lang::ast::{self, File, Item};
use crate::lang::check::{self, Options};
use crate::lang::diag::Code;
use crate::lang::tracked::Tracked;
use crate::lang::tree::{ClauseId, Program};
use crate::law::ground::{Law, Setting};
use crate::law::names;
use crate::law::step::Outcome;
use crate::law::translate::Translation;

/// Two rulebooks and what differs between them.
#[derive(Clone, Copy, Debug)]
pub struct Two<'a> {
    /// The old one.
    pub old: Side<'a>,
    /// The new one.
    pub new: Side<'a>,
    /// What differs.
    pub changes: &'a [Change],
    /// The clause of the new one for each of the old one.
    pub clauses: &'a [Option<ClauseId>],
}

/// Why a world can't be compared step by step; none: it can.
pub fn unlike(two: &Two, world: (usize, usize)) -> Option<String> {
    let (a, b) = (setting(two.old.program, world.0), setting(two.new.program, world.1));
    let slots = |s: &Setting| (s.cards, s.limits.tokens_budget);
    if a.players.len() != b.players.len() {
        return Some("it has another number of players".to_owned());
    }
    if slots(&a) != slots(&b) {
        return Some("it has another number of cards or tokens".to_owned());
    }
    // What is offered hangs on these, in the same state of the game.
    let bounds = |s: &Setting| (s.mana, s.limits.stack_budget, s.limits.counters_budget, s.limits.stack_cap);
    (bounds(&a) != bounds(&b)).then(|| "it has another budget, cap or mana".to_owned())
}

/// Compares a world, a place in each program.
pub fn run(two: &Two, world: (usize, usize), options: &ExploreOptions) -> Result<Beside, (Code, String)> {
    let (result, seconds) = measured(|| on_threads(options, |threads| compare(two, world, options, threads)));
    Ok(Beside { world: two.old.program.worlds[world.0].name.clone(), seconds, ..result? })
}

/// What either side needs of a state, ghosts apart, which only watch.
fn both_track(two: &Two, a: &mut Setting, b: &mut Setting) {
    let there = Translation::new(
        &Law::new(two.old.program, a.clone()),
        &Law::new(two.new.program, b.clone()),
        two.clauses.to_vec(),
    )
    .tracked(a.tracked.counters, a.tracked.markers);
    let back = {
        let mut clauses = vec![None; two.new.program.clauses.len()];
        for (i, c) in two.clauses.iter().enumerate().filter_map(|(i, c)| Some((i, (*c)?))) {
            clauses[c.index()] = Some(ClauseId(i as u16));
        }
        let (new, old) = (Law::new(two.new.program, b.clone()), Law::new(two.old.program, a.clone()));
        Translation::new(&new, &old, clauses).tracked(b.tracked.counters, b.tracked.markers)
    };
    let ghosts =
        |p: &Program| p.markers.iter().enumerate().filter(|(_, m)| m.ghost).fold(0u64, |bits, (i, _)| bits | 1 << i);
    let (x, y) = (a.tracked, b.tracked);
    let joint = Tracked {
        known: x.known || y.known,
        stamps: x.stamps || y.stamps,
        home: x.home || y.home,
        damage: x.damage || y.damage,
        counters: 0,
        markers: 0,
        merges: x.merges || y.merges,
        left_with: x.left_with || y.left_with,
    };
    a.tracked =
        Tracked { counters: x.counters | back.0, markers: (x.markers | back.1) & !ghosts(two.old.program), ..joint };
    b.tracked =
        Tracked { counters: y.counters | there.0, markers: (y.markers | there.1) & !ghosts(two.new.program), ..joint };
}

fn compare(
    two: &Two,
    world: (usize, usize),
    options: &ExploreOptions,
    threads: usize,
) -> Result<Beside, (Code, String)> {
    let (old, new) = (two.old.program, two.new.program);
    let (mut a, mut b) = (setting(old, world.0), setting(new, world.1));
    both_track(two, &mut a, &mut b);
    let (first, second) = (Law::new(old, a), Law::new(new, b));
    let changed = (changed_rules(old, two.changes), changed_rules(new, two.changes));
    let looks = looks_may_differ(old, &changed.0) || looks_may_differ(new, &changed.1);
    let beside = Second::new((&first, &second), two.clauses.to_vec(), changed, looks);
    let told = Told { two, world, first: &first, second: &second };
    let (mine, theirs) = (starts(&first, &old.worlds[world.0])?, starts(&second, &new.worlds[world.1])?);
    let translated: Vec<Option<State>> = mine.iter().map(|s| beside.translation.state(s)).collect();
    let common = |s: &Option<State>| s.as_ref().is_some_and(|s| theirs.contains(s));
    let starts: Vec<State> = mine.iter().zip(&translated).filter(|(_, t)| common(t)).map(|(s, _)| s.clone()).collect();
    let mut partings = Vec::new();
    partings.extend(told.start(mine.iter().zip(&translated).filter(|(_, t)| !common(t)).map(|(s, _)| s), true));
    let known = |s: &&State| !translated.iter().flatten().any(|t| t == *s);
    partings.extend(told.start(theirs.iter().filter(known), false));
    let use_it = |e: Explored| {
        let (states, steps, depth) = e.run.counts();
        let (complete, why, interrupted) = e.run.ending();
        let mut hits = e.run.hits();
        hits.sort_by_key(|(_, level)| *level);
        let mut unread = None;
        if let Some(beside) = e.run.beside() {
            for (bit, _) in hits {
                let way = e.run.states_to(bit).unwrap_or_else(|fault| {
                    unread = Some((Code::L304, fault.to_string()));
                    None
                });
                let parting = way.and_then(|way| told.parting(beside, &beside.keys[usize::from(bit)].clone(), &way));
                if let Some(parting) = parting
                    && !partings.iter().any(|p: &Parting| (p.kind, &p.changes) == (parting.kind, &parting.changes))
                {
                    partings.push(parting);
                }
            }
        }
        partings.sort_by(|a, b| {
            (a.old_play.steps.len(), a.kind, &a.changes).cmp(&(b.old_play.steps.len(), b.kind, &b.changes))
        });
        let told = Beside { states, steps, depth, complete, why, interrupted, partings, ..Beside::default() };
        unread.map_or(Ok(told), Err)
    };
    bounded(first.program, options, threads, |bounds| explore_beside(&first, world.0, beside, starts, bounds, use_it))?
}

fn kind_of(kind: Kind) -> PartingKind {
    match kind {
        Kind::FirstAlone => PartingKind::OldAlone,
        Kind::SecondAlone => PartingKind::NewAlone,
        Kind::Cost => PartingKind::Cost,
        Kind::Choices => PartingKind::Choices,
        Kind::Events => PartingKind::Events,
        Kind::Knowledge => PartingKind::Knowledge,
        Kind::State => PartingKind::State,
        Kind::Look => PartingKind::Look,
        Kind::MayLook => PartingKind::MayLook,
    }
}

/// Tells where the two part, in names.
struct Told<'a, 'p> {
    two: &'a Two<'a>,
    world: (usize, usize),
    first: &'a Law<'p>,
    second: &'a Law<'p>,
}

impl Told<'_, '_> {
    fn world(&self) -> &str {
        &self.first.program.worlds[self.world.0].name
    }

    /// One start that one side alone has, and how many such there are.
    fn start<'s>(&self, mut all: impl Iterator<Item = &'s State>, old: bool) -> Option<Parting> {
        let state = all.next()?.clone();
        let more = all.count();
        let law = if old { self.first } else { self.second };
        let play = tell(law, self.world(), &Path { start: state.clone(), steps: Vec::new() });
        let side = if old { "old" } else { "new" };
        let more = if more == 0 { String::new() } else { format!(", and {more} more such") };
        let cards: BTreeSet<&str> =
            state.slots.iter().filter_map(|r| r.card).map(|c| names::card(law.program, c)).collect();
        let named = |c: &Change| {
            matches!(c.kind, "card" | "archetype") && cards.contains(c.name.as_str())
                || c.kind == "world" && c.name == self.world()
        };
        let changes = self.two.changes.iter().enumerate().filter(|(_, c)| named(c)).map(|(i, _)| i).collect();
        Some(Parting {
            kind: PartingKind::Start,
            changes,
            old_play: play.clone(),
            new_play: play,
            old: Vec::new(),
            new: Vec::new(),
            says: vec![format!("the {side} side alone starts so{more}")],
        })
    }

    /// The play to a difference, told by both.
    fn parting(&self, beside: &Second, key: &crate::explore::beside::Key, way: &[State]) -> Option<Parting> {
        let mut steps: (Vec<Outcome>, Vec<Outcome>) = (Vec::new(), Vec::new());
        for pair in way.windows(2) {
            let (a, b) = beside.step_to(&pair[0], &pair[1])?;
            steps.0.push(a);
            steps.1.push(b);
        }
        let last = way.last()?;
        let there = beside.translation.state(last)?;
        let start = (way.first()?.clone(), beside.translation.state(way.first()?)?);
        let mut found: Vec<Difference> = beside.differences(last).into_iter().filter(|d| d.key == *key).collect();
        found.sort_by_cached_key(|d| self.line(d, last, &there));
        let d = found.into_iter().next()?;
        let says = |list: &[Outcome], law: &Law, st: &State| -> Vec<PlayStep> {
            // Of what is offered with several choices, the first tells enough.
            list.iter().take(STEPS_SHOWN).map(|o| tell_step(law, st, o)).collect()
        };
        let old = says(&d.first, self.first, last);
        let new = says(&d.second, self.second, &there);
        let changes = self.blamed(beside, key, &d, last);
        let play = |law, start: State, steps| tell(law, self.world(), &Path { start, steps });
        let old_play: Play = play(self.first, start.0, steps.0);
        let new_play: Play = play(self.second, start.1, steps.1);
        let mut said = d.says;
        for (side, list) in [("old", &d.first), ("new", &d.second)] {
            if list.len() > STEPS_SHOWN {
                said.push(format!("{side}: {} more of this with other choices", list.len() - STEPS_SHOWN));
            }
        }
        Some(Parting { kind: kind_of(key.kind), changes, old_play, new_play, old, new, says: said })
    }

    /// What a difference is called, to choose the least.
    fn line(&self, d: &Difference, st: &State, there: &State) -> (String, Vec<String>) {
        let first = d.first.first().map(|o| names::replay_line(self.first, st, o));
        let second = d.second.first().map(|o| names::replay_line(self.second, there, o));
        (first.or(second).unwrap_or_default(), d.says.clone())
    }

    /// The changes that make a difference.
    fn blamed(&self, beside: &Second, key: &crate::explore::beside::Key, d: &Difference, st: &State) -> Vec<usize> {
        let changes = self.two.changes;
        let law: Vec<usize> = (0..changes.len()).filter(|c| changes[*c].is_of_the_law()).collect();
        if law.len() <= 1 {
            return law;
        }
        let named: Vec<usize> = law
            .iter()
            .copied()
            .filter(|c| key.rules.iter().any(|(kind, name)| *kind == changes[*c].kind && *name == changes[*c].name))
            .collect();
        if !named.is_empty() {
            return named;
        }
        self.tried(beside, d, st, &law)
    }

    /// The changes each of which, taken back alone, makes the difference go.
    fn tried(&self, beside: &Second, d: &Difference, st: &State, law: &[usize]) -> Vec<usize> {
        if law.len() > CHANGES_TRIED {
            return Vec::new();
        }
        let goes = |c: &usize| {
            let program = without(self.two, *c, &[])?;
            let world = program.worlds.iter().position(|w| w.name == self.world())?;
            let setting = Setting { tracked: self.second.setting.tracked, ..setting(&program, world) };
            let clauses = clauses_without(self.two, *c, &program);
            let second = Law::new(&program, setting);
            let none = (vec![false; self.first.program.rules.len()], vec![false; program.rules.len()]);
            let looks = matches!(d.key.kind, Kind::Look | Kind::MayLook);
            let again = Second::new((self.first, &second), clauses, none, looks);
            let there = again.translation.state(st)?;
            let line = |x: &Difference| {
                let first = x.first.first().map(|o| names::replay_line(self.first, st, o));
                (
                    first.clone().or(x.second.first().map(|o| names::replay_line(&second, &there, o))),
                    x.says.first().cloned(),
                )
            };
            let was = {
                let here = beside.translation.state(st)?;
                let first = d.first.first().map(|o| names::replay_line(self.first, st, o));
                let theirs = d.second.first().map(|o| names::replay_line(self.second, &here, o));
                (first.or(theirs), d.says.first().cloned())
            };
            let still = again.differences(st).iter().any(|x| x.key.kind == d.key.kind && line(x) == was);
            Some(!still)
        };
        let alone: Vec<usize> = law.iter().copied().filter(|c| goes(c) == Some(true)).collect();
        if alone.is_empty() && law.len() <= TOGETHER { law.to_vec() } else { alone }
    }
}

/// Steps of one side that a parting shows.
const STEPS_SHOWN: usize = 3;

/// So many changes, of which none alone makes a difference, are named together.
const TOGETHER: usize = 4;

/// More changes than these are not tried one by one.
const CHANGES_TRIED: usize = 24;

/// For each of some rulings that fail in the new rulebook: the change without which it passes; none where no change does
/// that alone.
pub fn rulings_by(two: &Two, names: &[&str]) -> Vec<Option<usize>> {
    let law: Vec<usize> = (0..two.changes.len()).filter(|c| two.changes[*c].is_of_the_law()).collect();
    let mut by = vec![None; names.len()];
    if law.len() < 2 || law.len() > CHANGES_TRIED || names.is_empty() {
        return by;
    }
    for c in law {
        let Some(program) = without(two, c, names) else { continue };
        for (name, by) in names.iter().zip(&mut by).filter(|(_, by)| by.is_none()) {
            let at = program.rulings.iter().position(|r| r.name == *name);
            let passes = at.is_some_and(|at| super::rulings::run(&program, at).failure.is_none());
            *by = passes.then_some(c);
        }
    }
    by
}

/// The new rulebook with one change taken back, and these rulings; none if it is no rulebook then.
fn without(two: &Two, change: usize, rulings: &[&str]) -> Option<Program> {
    let c = &two.changes[change];
    let of_law = |i: &&Item| match i {
        Item::Property(_) => false,
        Item::Ruling(r) => rulings.contains(&r.name.text.as_str()),
        _ => true,
    };
    let is = |i: &Item| match i {
        Item::Rule(r) => c.kind == "rule" && r.name.text == c.name,
        Item::Keyword(k) => c.kind == "keyword" && k.names.iter().any(|n| n.text == c.name),
        Item::Card(x) => matches!(c.kind, "card" | "archetype") && x.name.text == c.name,
        _ => false,
    };
    let stays = |i: &Item, side: &Side| !is(i) || !in_force(i, side.program);
    let kept = two
        .new
        .files
        .iter()
        .map(|f| File { items: f.items.iter().filter(of_law).filter(|i| stays(i, &two.new)).cloned().collect() });
    let mut files: Vec<File> = kept.collect();
    let back = two.old.files.iter().flat_map(|f| &f.items);
    files.push(File { items: back.filter(|i| is(i) && in_force(i, two.old.program)).map(unbound).collect() });
    let options = Options { edition: two.new.program.edition, readings: two.new.program.readings.clone() };
    check::check(&files, &options).ok()
}

/// An item that stands in every edition and reading, so that one of another can be among them.
fn unbound(item: &Item) -> Item {
    let mut item = item.clone();
    if let Item::Rule(ast::Rule { header, .. }) | Item::Keyword(ast::Keyword { header, .. }) = &mut item {
        (header.since, header.until) = (None, None);
        header.under.clear();
    }
    item
}

fn in_force(item: &Item, program: &Program) -> bool {
    let span = match item {
        Item::Rule(r) => r.name.span,
        Item::Keyword(k) => return k.names.iter().any(|n| program.rules.iter().any(|r| r.span == n.span)),
        Item::Card(c) => c.name.span,
        _ => return false,
    };
    program.rules.iter().any(|r| r.span == span)
}

/// The clauses of the old rulebook in the new one with one change taken back.
fn clauses_without(two: &Two, change: usize, program: &Program) -> Vec<Option<ClauseId>> {
    let (old, new, c) = (two.old.program, two.new.program, &two.changes[change]);
    let rule_in = |p: &Program, kind: &str, name: &str| p.rules.iter().position(|r| r.kind == kind && r.name == name);
    let mut map = vec![None; old.clauses.len()];
    for (r, rule) in old.rules.iter().enumerate() {
        let Some(there) = rule_in(program, rule.kind, &rule.name) else { continue };
        let theirs = of_rule(program, there);
        let own = rule.kind == c.kind && rule.name == c.name;
        let twin = rule_in(new, rule.kind, &rule.name).map(|t| of_rule(new, t)).unwrap_or_default();
        for (k, clause) in of_rule(old, r).into_iter().enumerate() {
            let place =
                if own { Some(k) } else { two.clauses[clause].and_then(|t| twin.iter().position(|x| *x == t.index())) };
            map[clause] = place.and_then(|p| theirs.get(p)).map(|x| ClauseId(*x as u16));
        }
    }
    map
}

/// The clauses of two sides, to be worked out once for all worlds.
pub fn clauses(old: &Side, new: &Side) -> Vec<Option<ClauseId>> {
    changes::clauses(old, new)
}
