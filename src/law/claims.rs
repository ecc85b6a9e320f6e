//! Properties asked of steps and states. Each property has two bits: that its premise was met, and that it was hit (a
//! property or conjecture broken, a witness reached).

use crate::game::memory::Log;
use crate::game::record::{NO_OBJECT, Obj, State, Value};
use crate::lang::ast::QuantKind;
use crate::lang::tree::{ArgPattern, Claim, Expr, Head, Property, Ty, Verb};
use crate::law::eval::{Env, Happening, Reader, Scene};
use crate::law::ground::Law;
use crate::law::step::Outcome;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Bit of a property's premise, by its place among the properties of the world.
pub fn premise_bit(i: usize) -> u16 {
    i as u16 * 2
}
/// Bit of a property's hit.
pub fn hit_bit(i: usize) -> u16 {
    i as u16 * 2 + 1
}

/// Which part of a state's claims is asked: those about one slot, or the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Claims of the form `every x …` or `some x …`, for this slot.
    Slot(Obj),
    /// Everything else.
    Rest,
}

/// The properties that speak of a world.
pub struct Claims<'p> {
    /// Places in the program, and the properties.
    pub list: Vec<(usize, &'p Property)>,
    /// Those that ask of events, by verb: places in the list.
    by_verb: FxHashMap<Verb, Vec<usize>>,
}

impl<'p> Claims<'p> {
    /// Some properties, with their places in the program.
    pub fn new(list: Vec<(usize, &'p Property)>) -> Claims<'p> {
        let mut by_verb: FxHashMap<Verb, Vec<usize>> = FxHashMap::default();
        for (i, (_, property)) in list.iter().enumerate() {
            if let Claim::Whenever(head, _) | Claim::PossibleEvent(head) = &property.claim {
                for pattern in &head.patterns {
                    let places = by_verb.entry(pattern.verb).or_default();
                    if places.last() != Some(&i) {
                        places.push(i);
                    }
                }
            }
        }
        Claims { list, by_verb }
    }
}

impl Claims<'_> {
    /// Whether anything is asked of states.
    pub fn asks_states(&self) -> bool {
        self.list.iter().any(|(_, p)| matches!(p.claim, Claim::Always(_) | Claim::PossibleState(_) | Claim::Blind(_)))
    }

    /// The bits of a step.
    pub fn of_step(&self, reader: &Reader, outcome: &Outcome) -> Vec<u16> {
        let mut bits = Vec::new();
        for h in &outcome.happenings {
            for &i in self.by_verb.get(&h.verb).map_or(&[][..], Vec::as_slice) {
                let property = self.list[i].1;
                let (head, claim) = match &property.claim {
                    Claim::Whenever(head, e) => (head, Some(e)),
                    Claim::PossibleEvent(head) => (head, None),
                    _ => continue,
                };
                let scene = Scene { happenings: &outcome.happenings, before: &h.before, end: &outcome.state };
                let asker = Reader { law: reader.law, log: reader.log.clone(), scene: Some(scene) };
                let Some(env) = fits(&asker, property, head, h) else { continue };
                bits.push(premise_bit(i));
                if claim.is_none_or(|e| !asker.truth(e, &h.after, &env)) {
                    bits.push(hit_bit(i));
                }
            }
        }
        bits.sort_unstable();
        bits.dedup();
        bits
    }

    /// The bits of a part of a state.
    pub fn of_state(&self, reader: &Reader, st: &State, part: Part) -> Vec<u16> {
        let mut bits = Vec::new();
        for (i, (_, property)) in self.list.iter().enumerate() {
            let mut env = Env::of(&property.frame);
            match (&property.claim, part) {
                (Claim::Always(Expr::Quant { kind: QuantKind::Every, var, ty: Ty::Object, filter, body }), _) => {
                    for o in objects(reader, st, part, filter, *var) {
                        env.set(*var, Value::Object(o));
                        if reader.truth(filter, st, &env) {
                            bits.push(premise_bit(i));
                            if !body.as_deref().is_none_or(|b| reader.truth(b, st, &env)) {
                                bits.push(hit_bit(i));
                            }
                        }
                    }
                }
                (Claim::PossibleState(Expr::Quant { kind: QuantKind::Some, var, ty: Ty::Object, filter, .. }), _) => {
                    for o in objects(reader, st, part, filter, *var) {
                        env.set(*var, Value::Object(o));
                        if reader.truth(filter, st, &env) {
                            bits.extend([premise_bit(i), hit_bit(i)]);
                        }
                    }
                }
                (Claim::Blind(guard), Part::Slot(o)) => self.blind(reader, st, o, guard, &mut env, i, &mut bits),
                (Claim::Always(e), Part::Rest) => {
                    bits.push(premise_bit(i));
                    if !reader.truth(e, st, &env) {
                        bits.push(hit_bit(i));
                    }
                }
                (Claim::PossibleState(e), Part::Rest) if reader.truth(e, st, &env) => {
                    bits.extend([premise_bit(i), hit_bit(i)]);
                }
                _ => {}
            }
        }
        bits.sort_unstable();
        bits.dedup();
        bits
    }

    #[allow(clippy::too_many_arguments)]
    fn blind(&self, reader: &Reader, st: &State, o: Obj, guard: &Expr, env: &mut Env, i: usize, bits: &mut Vec<u16>) {
        let Some(card) = st.slots.get(usize::from(o)).and_then(|r| r.card) else { return };
        for p in 0..st.players.len() as u8 {
            env.set(0, Value::Player(p));
            env.set(1, Value::Object(o));
            if !reader.truth(guard, st, env) {
                continue;
            }
            bits.push(premise_bit(i));
            reader.log.full(usize::from(o));
            let offered = |st: &State| -> Vec<_> {
                let mut list: Vec<_> = reader.offers(st, p).into_iter().map(|f| (f.clause, f.object, f.cost)).collect();
                list.sort_unstable();
                list
            };
            let now = offered(st);
            for &other in reader.law.setting.deck.iter().filter(|c| **c != card) {
                let mut exchanged = st.clone();
                let rec = Rc::make_mut(&mut exchanged.slots[usize::from(o)]);
                rec.card = Some(other);
                rec.printed = reader.law.face(other);
                if reader.law.beforehand(|| offered(&exchanged)) != now {
                    bits.push(hit_bit(i));
                    break;
                }
            }
        }
    }
}

/// For which values a broken property is broken at the end of a play: the names that it binds, with their values. None
/// where it binds nothing.
pub fn broken_for(law: &Law, property: &Property, start: &State, last: Option<&Outcome>) -> Vec<(String, Value)> {
    let quiet = Reader::new(law, Rc::new(Log::off()));
    let mut found = Vec::new();
    match &property.claim {
        Claim::Always(e) => {
            let st = last.map_or(start, |o| &o.state);
            descend(&quiet, st, property, e, &mut Env::of(&property.frame), &mut found);
        }
        Claim::Whenever(head, e) => {
            let Some(outcome) = last else { return found };
            for h in &outcome.happenings {
                let scene = Scene { happenings: &outcome.happenings, before: &h.before, end: &outcome.state };
                let asker = Reader { law, log: quiet.log.clone(), scene: Some(scene) };
                let Some(mut env) = fits(&asker, property, head, h) else { continue };
                if asker.truth(e, &h.after, &env) {
                    continue;
                }
                let bound = head.patterns.iter().flat_map(|p| &p.args).filter_map(|a| match a {
                    ArgPattern::Bind(var) => Some(*var),
                    _ => None,
                });
                for var in bound {
                    let name = &property.frame.vars[usize::from(var)].0;
                    if !found.iter().any(|(n, _)| n == name) {
                        found.push((name.clone(), env.get(var)));
                    }
                }
                descend(&asker, &h.after, property, e, &mut env, &mut found);
                return found;
            }
        }
        Claim::PossibleState(_) | Claim::PossibleEvent(_) | Claim::Blind(_) => {}
    }
    found
}

/// Follows the first value of each `every` for which what it claims is false.
fn descend(
    reader: &Reader,
    st: &State,
    property: &Property,
    e: &Expr,
    env: &mut Env,
    found: &mut Vec<(String, Value)>,
) {
    match e {
        Expr::Quant { kind: QuantKind::Every, var, ty, filter, body: Some(body) } => {
            let values: Vec<Value> = match ty {
                Ty::Player => (0..st.players.len() as u8).map(Value::Player).collect(),
                _ => reader.range(st, Some(filter), *var).into_iter().map(Value::Object).collect(),
            };
            for value in values {
                env.set(*var, value);
                if reader.truth(filter, st, env) && !reader.truth(body, st, env) {
                    found.push((property.frame.vars[usize::from(*var)].0.clone(), value));
                    descend(reader, st, property, body, env, found);
                    return;
                }
            }
        }
        Expr::And(list) => {
            if let Some(first) = list.iter().find(|e| !reader.truth(e, st, env)) {
                descend(reader, st, property, first, env, found);
            }
        }
        _ => {}
    }
}

/// The objects of a quantifier that belong to a part.
fn objects(reader: &Reader, st: &State, part: Part, filter: &Expr, var: u8) -> Vec<Obj> {
    match part {
        Part::Slot(o) => (reader.exists(st, usize::from(o))).then_some(o).into_iter().collect(),
        Part::Rest if reader.stack_length(st) == 0 => Vec::new(),
        Part::Rest => {
            let all = reader.range(st, Some(filter), var);
            all.into_iter().filter(|o| usize::from(*o) >= st.slots.len() && *o != NO_OBJECT).collect()
        }
    }
}

/// Whether something that happened fits the head of a property; with the bindings.
fn fits(asker: &Reader, property: &Property, head: &Head, h: &Happening) -> Option<Env> {
    for p in &head.patterns {
        if p.verb != h.verb || !(p.tries || h.done) {
            continue;
        }
        let mut env = Env::of(&property.frame);
        let matches = p.args.iter().zip(&h.args).all(|(pattern, value)| match pattern {
            ArgPattern::Any => true,
            ArgPattern::Bind(v) => {
                env.set(*v, *value);
                true
            }
            ArgPattern::Is(e) => asker.eval(e, &h.after, &env) == *value,
        });
        if matches && head.guard.as_ref().is_none_or(|g| asker.truth(g, &h.after, &env)) {
            return Some(env);
        }
    }
    None
}
