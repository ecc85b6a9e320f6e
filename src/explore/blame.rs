//! Which changed rules make a difference between two laws in one state, as far as the runs and the refusals show it; and
//! what objects look like to each of them. What it reads of a state is noted like all else.

use super::beside::{Beside, Difference, Key, Kind};
use crate::game::memory::Log;
use crate::game::record::{NO_OBJECT, Obj, State};
use crate::lang::tree::{ClauseId, Program};
use crate::law::eval::Reader;
use crate::law::ground::Law;
use crate::law::names;
use crate::law::offers::Refusal;
use crate::law::step::{Label, Outcome};
use crate::law::verbs::Note;
use std::collections::BTreeSet;
use std::rc::Rc;

impl Beside<'_, '_> {
    pub(super) fn difference(
        &self,
        kind: Kind,
        label: Option<Label>,
        (state, there): (&State, &State),
        first: Vec<Outcome>,
        second: Vec<Outcome>,
        logs: (&Rc<Log>, &Rc<Log>),
    ) -> Difference {
        let mut rules = BTreeSet::new();
        let mut says = Vec::new();
        match (kind, first.first(), second.first()) {
            (Kind::FirstAlone, Some(o), _) => {
                let second = Reader::new(self.second, logs.1.clone());
                let theirs = label.or_else(|| self.translation.label(o.label));
                self.alone(
                    o.label,
                    theirs,
                    (self.first, &self.changed.0),
                    (&second, &self.changed.1),
                    there,
                    &mut rules,
                    &mut says,
                );
            }
            (Kind::SecondAlone, _, Some(o)) => {
                let first = Reader::new(self.first, logs.0.clone());
                let ours = self.back(o.label);
                self.alone(
                    o.label,
                    ours,
                    (self.second, &self.changed.1),
                    (&first, &self.changed.0),
                    state,
                    &mut rules,
                    &mut says,
                );
            }
            _ => self.at_work(&first, &second, &mut rules),
        }
        Difference { key: Key { kind, rules }, first, second, says }
    }

    /// A label of the second law in the words of the first.
    fn back(&self, label: Label) -> Option<Label> {
        match label {
            Label::Resolve => Some(label),
            Label::Effect(p, by) => {
                let name = &self.second.program.procedures[p.index()].name;
                let at = self.first.program.procedures.iter().position(|q| q.name == *name)?;
                Some(Label::Effect(crate::lang::tree::ProcedureId(at as u16), by))
            }
            Label::Offer(c, p, o, cost) => {
                let at = self.translation.clauses.iter().position(|twin| *twin == Some(c))?;
                Some(Label::Offer(ClauseId(at as u16), p, o, cost))
            }
        }
    }

    /// Why one side alone does something: what refuses it on the other, else what permits it on the one.
    #[allow(clippy::too_many_arguments)]
    fn alone(
        &self,
        label: Label,
        theirs: Option<Label>,
        (law, changed): (&Law, &[bool]),
        (other, changed_there): (&Reader, &[bool]),
        st: &State,
        rules: &mut BTreeSet<(&'static str, String)>,
        says: &mut Vec<String>,
    ) {
        let mut blame = |program: &Program, rule: usize, changed: &[bool]| {
            if changed.get(rule).copied().unwrap_or(false) {
                let rule = &program.rules[rule];
                rules.insert((rule.kind, rule.name.clone()));
            }
        };
        let own = match label {
            Label::Offer(c, ..) => Some(law.program.clauses[c.index()].rule.index()),
            Label::Effect(p, _) => Some(law.program.procedures[p.index()].rule.index()),
            Label::Resolve => None,
        };
        match theirs {
            Some(Label::Offer(c, p, o, _)) => {
                let program = other.law.program;
                let rule = program.clauses[c.index()].rule.index();
                match other.judge(st, c, p, o) {
                    Err(Refusal::Forbidden(r)) => {
                        says.push(format!(
                            "the other side forbids it by {} {}",
                            program.rules[r.index()].kind,
                            program.rules[r.index()].name
                        ));
                        blame(program, r.index(), changed_there);
                    }
                    Err(Refusal::Unpermitted) => {
                        says.push(format!(
                            "{} {} does not permit it on the other side",
                            program.rules[rule].kind, program.rules[rule].name
                        ));
                        blame(program, rule, changed_there);
                    }
                    Err(Refusal::Unpayable) => says.push("its cost can't be paid on the other side".into()),
                    Err(Refusal::NoTarget) => says.push("there is nothing to aim at on the other side".into()),
                    Ok(_) => {}
                }
            }
            Some(_) => {
                if let Some(rule) = own {
                    blame(law.program, rule, changed);
                }
            }
            None => {
                if let Some(rule) = own {
                    let r = &law.program.rules[rule];
                    says.push(format!("nothing of {} {} offers it on the other side", r.kind, r.name));
                    blame(law.program, rule, changed);
                }
            }
        }
    }

    /// The changed rules that did something on one side and not on the other; else those that did something at all.
    fn at_work(&self, first: &[Outcome], second: &[Outcome], rules: &mut BTreeSet<(&'static str, String)>) {
        let notes = |list: &[Outcome], program: &Program, changed: &[bool]| {
            let of = |n: &Note| {
                let rule = program.clauses[n.clause.index()].rule.index();
                let name = (program.rules[rule].kind, program.rules[rule].name.clone());
                changed.get(rule).copied().unwrap_or(false).then_some((name, n.did, n.carrier))
            };
            let mut found: Vec<_> = list.iter().flat_map(|o| o.notes.iter().filter_map(of)).collect();
            found.sort();
            found
        };
        let (a, b) =
            (notes(first, self.first.program, &self.changed.0), notes(second, self.second.program, &self.changed.1));
        let count = |list: &[_], x: &_| list.iter().filter(|y| *y == x).count();
        let uneven: Vec<_> = a.iter().chain(&b).filter(|x| count(&a, x) != count(&b, x)).cloned().collect();
        let chosen = if uneven.is_empty() { [a, b].concat() } else { uneven };
        rules.extend(chosen.into_iter().map(|(name, ..)| name));
    }

    /// Views of an object, and who may look at it.
    pub(super) fn looked(&self, ours: &Reader, theirs: &Reader, state: &State, o: Obj) -> Vec<Difference> {
        let mut list = Vec::new();
        let Some(there) = self.translation.state(state) else { return list };
        if !ours.exists(state, usize::from(o)) || o == NO_OBJECT || !theirs.exists(&there, usize::from(o)) {
            return list;
        }
        for &(v, w) in &self.views {
            let (a, b) = (ours.look(state, o, v), theirs.look(&there, o, w));
            if self.translation.look(a) == Some(b) {
                continue;
            }
            let (first, second) = (self.first.program, self.second.program);
            let mut rules = BTreeSet::new();
            let (x, y) = (first.views[v.index()].rule.index(), second.views[w.index()].rule.index());
            for (program, rule, changed) in [(first, x, &self.changed.0), (second, y, &self.changed.1)] {
                if changed.get(rule).copied().unwrap_or(false) {
                    rules.insert((program.rules[rule].kind, program.rules[rule].name.clone()));
                }
            }
            let says = vec![
                format!(
                    "old: {} through `{}` is {}",
                    names::object(self.first, state, o),
                    first.views[v.index()].name,
                    names::look(first, &self.first.looks.get(a))
                ),
                format!(
                    "new: {} through `{}` is {}",
                    names::object(self.first, state, o),
                    first.views[v.index()].name,
                    names::look(second, &self.second.looks.get(b))
                ),
            ];
            let key = Key { kind: Kind::Look, rules };
            list.push(Difference { key, first: Vec::new(), second: Vec::new(), says });
        }
        // Every permission is asked, so that what one side reads does not hang on the other.
        let permits = |reader: &Reader, st: &State, p: u8| -> Vec<ClauseId> {
            let all = reader.law.may_look.iter().map(|(c, _)| *c);
            all.filter(|c| reader.look_permitted(st, *c, p, o)).collect()
        };
        let players = 0..state.players.len() as u8;
        let mine: Vec<_> = players.clone().map(|p| permits(ours, state, p)).collect();
        let other: Vec<_> = players.clone().map(|p| permits(theirs, &there, p)).collect();
        for (p, (a, b)) in players.zip(mine.into_iter().zip(other)) {
            let first = !a.is_empty();
            if first != b.is_empty() {
                continue;
            }
            let (program, changed, by) = if first {
                (self.first.program, &self.changed.0, a)
            } else {
                (self.second.program, &self.changed.1, b)
            };
            let rules = by.into_iter().map(|c| program.clauses[c.index()].rule.index());
            let rules = rules.filter(|r| changed.get(*r).copied().unwrap_or(false));
            let rules = rules.map(|r| (program.rules[r].kind, program.rules[r].name.clone())).collect();
            let says = vec![format!(
                "{}: {} may look at {}, and may not on the other side",
                if first { "old" } else { "new" },
                names::player(self.first, p),
                names::object(self.first, state, o)
            )];
            list.push(Difference {
                key: Key { kind: Kind::MayLook, rules },
                first: Vec::new(),
                second: Vec::new(),
                says,
            });
        }
        list
    }
}
