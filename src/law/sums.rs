//! The events of a step as a number ([`crate::lang::digest`]), in the words of the fast path.

use super::ground::Law;
use super::step::{Label, Outcome};
use crate::game::record::{NO_OBJECT, Obj, Value};
use crate::lang::digest::{Deed, Step, Word};

/// The number of an outcome's events.
pub fn events(law: &Law, outcome: &Outcome) -> u64 {
    let program = law.program;
    let mut step = match outcome.label {
        Label::Resolve => Step::new(program, Deed::Resolve),
        Label::Effect(procedure, by) => {
            Step::new(program, Deed::Effect(&program.procedures[procedure.index()].name, by))
        }
        Label::Offer(_, by, o, cost) => Step::new(program, Deed::Offer(by, object(law, o), &law.looks.get_cost(cost))),
    };
    for happening in outcome.happenings.iter().filter(|h| h.done) {
        // Looks and costs are lent out by number; they are held while they are written.
        let looks: Vec<_> = happening.args.iter().map(|v| look(law, *v)).collect();
        let costs: Vec<_> = happening.args.iter().map(|v| cost(law, *v)).collect();
        let args = happening.args.iter().zip(looks.iter().zip(&costs)).enumerate();
        step.event(
            happening.verb,
            args.filter_map(|(place, (v, (look, cost)))| {
                let held = look.as_deref().map(Word::Look).or(cost.as_deref().map(Word::Cost));
                Some((place, held.or_else(|| plain(law, *v))?))
            }),
        );
    }
    step.number()
}

fn object(law: &Law, o: Obj) -> Word<'static> {
    if usize::from(o) < law.slots { Word::Slot(o) } else { Word::Ability }
}

fn look(law: &Law, value: Value) -> Option<std::rc::Rc<crate::lang::tree::Look>> {
    if let Value::Look(look) = value { Some(law.looks.get(look)) } else { None }
}

fn cost(law: &Law, value: Value) -> Option<std::rc::Rc<crate::lang::tree::Cost>> {
    if let Value::Cost(Some(cost)) = value { Some(law.looks.get_cost(cost)) } else { None }
}

/// A value that is nothing held elsewhere; none: no value.
fn plain(law: &Law, value: Value) -> Option<Word<'static>> {
    match value {
        Value::Bool(yes) => Some(Word::Bool(yes)),
        Value::Number(n) => Some(Word::Number(n)),
        // Whose something was that is gone: nobody.
        Value::Player(u8::MAX) => None,
        Value::Player(p) => Some(Word::Player(p)),
        Value::Object(NO_OBJECT) | Value::Cost(_) | Value::Look(_) => None,
        Value::Object(o) => Some(object(law, o)),
        Value::Name(name) => name.map(Word::Name),
        Value::Way(way) => way.map(Word::Way),
        Value::Zone(zone) => Some(Word::Zone(zone)),
        Value::Duration(duration) => Some(Word::Duration(duration)),
        Value::Place(place) => Some(Word::Place(place)),
        Value::Counter(kind) => Some(Word::Counter(kind)),
        Value::Event(event) => Some(Word::Event(event)),
    }
}
