//! The events of a step as a number ([`crate::lang::digest`]), in the words of the referee.

use super::Referee;
use super::state::{Obj, Value};
use super::step::{Label, Outcome};
use crate::lang::digest::{Deed, Step, Word};

/// The number of an outcome's events.
pub fn events(r: &Referee, outcome: &Outcome) -> u64 {
    let mut step = Step::new(
        r.program,
        match &outcome.label {
            Label::Resolve => Deed::Resolve,
            Label::Effect { procedure, player } => Deed::Effect(&r.program.procedures[procedure.index()].name, *player),
            Label::Offer { player, object: o, cost, .. } => Deed::Offer(*player, object(*o), cost),
        },
    );
    for record in outcome.records.iter().filter(|record| record.happened) {
        let args = record.event.args.iter().enumerate();
        step.event(record.event.verb, args.filter_map(|(place, value)| Some((place, word(value)?))));
    }
    step.number()
}

fn object(o: Obj) -> Word<'static> {
    match o {
        Obj::Slot(slot) => Word::Slot(slot),
        Obj::Ability(_) => Word::Ability,
    }
}

/// A value; none: nothing is bound, or it is `none`.
fn word(value: &Value) -> Option<Word<'_>> {
    match value {
        Value::Unset => None,
        Value::Bool(yes) => Some(Word::Bool(*yes)),
        Value::Number(n) => Some(Word::Number(*n)),
        Value::Player(p) => Some(Word::Player(*p)),
        Value::Object(o) => o.map(object),
        Value::Look(look) => Some(Word::Look(look)),
        Value::Cost(cost) => cost.as_ref().map(Word::Cost),
        Value::Name(name) => name.map(Word::Name),
        Value::Way(way) => way.map(Word::Way),
        Value::Zone(zone) => Some(Word::Zone(*zone)),
        Value::Duration(duration) => Some(Word::Duration(*duration)),
        Value::Place(place) => Some(Word::Place(*place)),
        Value::Counter(kind) => Some(Word::Counter(*kind)),
        Value::Event(event) => Some(Word::Event(*event)),
    }
}
