//! Where opinions meet: our states in the referee's words, plays replayed by the referee, worlds explored by both.

use super::play::WorldResult;
use crate::explore::trace::Path;
use crate::game::record::{EntryKind, NO_OBJECT, Obj, State, Value};
use crate::lang::ast::PropertyKind;
use crate::lang::tracked::tracked;
use crate::lang::tree::{ClauseKind, Program};
use crate::law::ground::Law;
use crate::naive::state::{Entry, Obj as TheirObj, Piece, Seat, State as Theirs, Value as TheirValue, What};
use crate::naive::{Referee, explore};

/// States that the referee explores at most, before it gives no opinion.
pub const REFEREE_STATES_MAX: usize = 2_000_000;

/// One of our states in the referee's words.
pub fn translate(law: &Law, st: &State) -> Theirs {
    let object = |o: Obj| their_object(st, o);
    let look = |l| crate::lang::tree::Look::clone(&law.looks.get(l));
    let pieces = st.slots.iter().map(|r| {
        if r.zone.is_none() {
            return Piece { counters: vec![0; r.counters.len()], ..Piece::default() };
        }
        Piece {
            card: r.card,
            printed: if r.card.is_some() { Default::default() } else { look(r.printed) },
            back: look(r.back),
            zone: r.zone,
            owner: r.owner,
            controller: r.controller,
            home: if law.setting.tracked.home { r.home } else { r.owner },
            face_down: r.face_down,
            way: r.way,
            listed: r.face_down.then(|| look(r.listed)),
            tapped: r.tapped,
            transformed: r.transformed,
            damage: i32::from(r.damage),
            host: (r.host != NO_OBJECT).then_some(r.host),
            copies: r.copies.iter().map(|(l, d)| (look(*l), *d)).collect(),
            gives: r.gives.clone(),
            counters: r.counters.iter().map(|n| i32::from(*n)).collect(),
            known: r.known,
            marks: r.marks,
            parts: r.parts.clone(),
            left_with: (r.left_with != NO_OBJECT).then_some(r.left_with),
        }
    });
    let entries = st.stack.iter().enumerate().map(|(i, e)| Entry {
        id: i as u16,
        what: match &e.what {
            EntryKind::Spell(s) => What::Spell(*s),
            EntryKind::Ability { clause, source, you, vars } => What::Ability {
                clause: *clause,
                source: object(*source),
                you: *you,
                vars: vars.iter().map(|v| their_value(law, st, *v)).collect(),
            },
            EntryKind::Gone => What::Spell(NO_OBJECT),
        },
        aims: object(e.aims),
    });
    plain(
        law.program,
        Theirs {
            slots: pieces.collect(),
            libraries: st.players.iter().map(|p| p.library.clone()).collect(),
            stack: entries.collect(),
            active: st.table.active,
            seats: st
                .players
                .iter()
                .map(|p| Seat { in_game: p.in_game, marks: p.marks, mana: p.mana.map(i32::from) })
                .collect(),
            over: st.table.over,
            stamps: st.stamps.to_vec(),
        },
    )
}

fn their_object(st: &State, o: Obj) -> Option<TheirObj> {
    let slots = st.slots.len();
    match usize::from(o) {
        _ if o == NO_OBJECT => None,
        i if i < slots => Some(TheirObj::Slot(o)),
        i => Some(TheirObj::Ability((i - slots) as u16)),
    }
}

fn their_value(law: &Law, st: &State, v: Value) -> TheirValue {
    match v {
        Value::Bool(b) => TheirValue::Bool(b),
        Value::Number(n) => TheirValue::Number(n),
        Value::Player(p) => TheirValue::Player(p),
        Value::Object(o) => TheirValue::Object(their_object(st, o)),
        Value::Look(l) => TheirValue::Look(crate::lang::tree::Look::clone(&law.looks.get(l))),
        Value::Cost(c) => TheirValue::Cost(c.map(|c| crate::lang::tree::Cost::clone(&law.looks.get_cost(c)))),
        Value::Name(n) => TheirValue::Name(n),
        Value::Way(w) => TheirValue::Way(w),
        Value::Zone(z) => TheirValue::Zone(z),
        Value::Duration(d) => TheirValue::Duration(d),
        Value::Place(p) => TheirValue::Place(p),
        Value::Counter(k) => TheirValue::Counter(k),
        Value::Event(e) => TheirValue::Event(e),
    }
}

/// A state of the referee's with what both write differently made equal: a variable that is unset and one that is no
/// object, the variable of a target (which is what the entry aims at), and the source of what the law itself triggers.
pub fn plain(program: &Program, mut st: Theirs) -> Theirs {
    for e in &mut st.stack {
        if let What::Ability { clause, vars, source, .. } = &mut e.what {
            let c = &program.clauses[clause.index()];
            let target = match &c.kind {
                ClauseKind::Stage(_, _, t, _) => t.as_ref().map(|t| t.var),
                ClauseKind::Permit { target, .. } => target.as_ref().map(|t| t.var),
                _ => None,
            };
            for (i, v) in vars.iter_mut().enumerate() {
                if *v == TheirValue::Unset || target == Some(i as u8) {
                    *v = TheirValue::Object(None);
                }
            }
            if !c.carried && matches!(c.kind, ClauseKind::Stage(..)) {
                *source = None;
            }
        }
    }
    st
}

/// Lets the referee replay a play; says at which step it does not come along.
pub fn replayed(law: &Law, world: usize, path: &Path) -> Result<(), String> {
    let referee = Referee::new(law.program, world, law.setting.tracked);
    let start = translate(law, &path.start);
    let starts = referee.initial().map_err(|f| f.message)?;
    let Some(mut theirs) = starts.into_iter().find(|s| plain(law.program, s.clone()) == start) else {
        return Err("the referee does not know the start of a play".into());
    };
    for (i, outcome) in path.steps.iter().enumerate() {
        let next = translate(law, &outcome.state);
        let steps = referee.steps(&theirs).map_err(|f| f.message)?;
        let same = steps.outcomes.into_iter().find(|o| plain(law.program, o.next.clone()) == next);
        theirs = same.ok_or_else(|| format!("the referee does not come along at step {} of a play", i + 1))?.next;
    }
    Ok(())
}

/// Lets the referee explore a world too, and compares.
pub fn with_referee(program: &Program, world: usize, ours: &mut WorldResult) {
    let referee = Referee::new(program, world, tracked(program, world));
    let report = match explore::explore(&referee, REFEREE_STATES_MAX) {
        Ok(report) => report,
        Err(fault) => {
            ours.fault = Some(format!("the referee finds a fault of the law: {}", fault.message));
            return;
        }
    };
    let mut differ = Vec::new();
    if (report.unique_states as u64, report.steps as u64) != (ours.unique_states, ours.steps) {
        differ.push(format!(
            "the referee counts {} states and {} steps, we {} and {}",
            report.unique_states, report.steps, ours.unique_states, ours.steps
        ));
    } else if report.events != ours.events {
        differ.push("the referee sees other events than we do".to_owned());
    }
    for (i, property) in program.properties.iter().enumerate() {
        let Some(finding) = &ours.findings[i] else { continue };
        let ours = match property.kind {
            PropertyKind::Witness => finding.reached.is_some(),
            PropertyKind::Property | PropertyKind::Conjecture => finding.violated.is_some(),
        };
        let theirs = match property.kind {
            PropertyKind::Witness => report.properties.reached[i],
            PropertyKind::Property | PropertyKind::Conjecture => report.properties.violated[i],
        };
        let premise = property.kind != PropertyKind::Witness && finding.premise_reached != report.properties.reached[i];
        if ours != theirs || premise {
            differ.push(format!("of {} the referee says otherwise", property.name));
        }
    }
    ours.fault = ours.fault.take().or((!differ.is_empty()).then(|| differ.join("; ")));
}

/// Compares what Stateright counted of a world.
pub fn with_stateright(
    counted: &crate::explore::stateright::Counted,
    ours: &WorldResult,
    bits: &[u16],
) -> Option<String> {
    if counted.unknown > 0 {
        return Some(format!("{} states have a tree that does not know them", counted.unknown));
    }
    let (states, steps) = (ours.unique_states, ours.steps);
    if (counted.states, counted.steps) != (states, steps) {
        let (a, b) = (counted.states, counted.steps);
        return Some(format!("Stateright counts {a} states and {b} steps, we {states} and {steps}"));
    }
    if counted.events != ours.events {
        return Some("Stateright sums other events than we do".to_owned());
    }
    (counted.bits != bits).then(|| "Stateright meets other claims than we do".to_string())
}
