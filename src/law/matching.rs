//! Which clauses an event meets: the instances of a kind for a verb, and the triggers that an event sets off.

use super::coverage::Part;
use super::eval::{Env, Plain, pattern_name};
use super::ground::{Candidate, Kind};
use super::profile::Cause;
use super::verbs::{Did, Instance, Pending, Run};
use crate::game::record::{NO_OBJECT, State, Value};
use crate::lang::ast::Stage;
use crate::lang::tree::{ArgPattern, ClauseKind, EventName, Head, Pattern, Verb, ViewId};

impl Run<'_, '_> {
    /// The first `forbid` that matches.
    pub fn forbidden(&self, verb: Verb, args: &[Value]) -> Option<Instance> {
        self.instances(Kind::Forbid, verb, args).into_iter().next()
    }

    /// All instances of a kind for a verb, now.
    pub fn instances(&self, kind: Kind, verb: Verb, args: &[Value]) -> Vec<Instance> {
        let law = self.reader.law;
        let mut list = Vec::new();
        for c in law.candidates(kind, verb) {
            law.timed(Cause::Clause(c.clause), || self.match_clause(c, args, &self.state, Plain::Now, &mut list));
        }
        list
    }

    /// The instances of one clause.
    fn match_clause(&self, c: &Candidate, args: &[Value], st: &State, plain: Plain, list: &mut Vec<Instance>) {
        let law = self.reader.law;
        let clause = &law.program.clauses[c.clause.index()];
        let head = match &clause.kind {
            ClauseKind::Forbid(head) | ClauseKind::Stage(_, head, ..) | ClauseKind::Price(head, ..) => head,
            _ => return,
        };
        let view = match plain {
            Plain::View(v) => v,
            _ => law.now,
        };
        if !clause.carried {
            if let Some((name, env)) =
                self.match_head(head, &c.patterns, args, st, &Env { plain, ..Env::of(&clause.frame) })
            {
                list.push(Instance { clause: c.clause, carrier: NO_OBJECT, name, toll: None, env });
            }
            return;
        }
        let carriers = match c.self_at {
            Some(place) => match args.get(place) {
                Some(Value::Object(q)) => {
                    self.reader.carrier(st, *q, c.clause, view).into_iter().map(|cost| (*q, cost)).collect()
                }
                _ => Vec::new(),
            },
            None => self.reader.carriers(st, c.clause, view),
        };
        for (q, cost) in carriers {
            let mut env = self.reader.carried_env(st, clause, q, cost);
            env.plain = plain;
            if let Some((name, env)) = self.match_head(head, &c.patterns, args, st, &env) {
                list.push(Instance { clause: c.clause, carrier: q, name, toll: cost, env });
            }
        }
    }

    fn match_head(
        &self,
        head: &Head,
        patterns: &[usize],
        args: &[Value],
        st: &State,
        start: &Env,
    ) -> Option<(EventName, Env)> {
        for &i in patterns {
            let p = &head.patterns[i];
            let mut env = start.clone();
            let fits = p.args.iter().zip(args).all(|(pattern, value)| match pattern {
                ArgPattern::Any => true,
                ArgPattern::Bind(v) => {
                    env.set(*v, *value);
                    true
                }
                ArgPattern::Is(e) => self.reader.eval(e, st, &env) == *value,
            });
            if fits && head.guard.as_ref().is_none_or(|g| self.reader.truth(g, st, &env)) {
                return Some((pattern_name(p), env));
            }
        }
        None
    }

    // ---- Triggers ----

    /// Collects the `whenever` clauses that an event sets off.
    pub fn collect(&mut self, verb: Verb, args: &[Value], before: &State) {
        let law = self.reader.law;
        let mut found = Vec::new();
        for c in law.candidates(Kind::Stage(Stage::Whenever), verb) {
            let ClauseKind::Stage(_, head, ..) = &law.program.clauses[c.clause.index()].kind else { continue };
            // Once for each name by which the event is met; by a name that looks back, asked of the state before.
            let mut names: Vec<EventName> = c.patterns.iter().map(|i| pattern_name(&head.patterns[*i])).collect();
            names.dedup();
            let mut list = Vec::new();
            for name in names {
                let mut one = c.clone();
                one.patterns.retain(|i| pattern_name(&head.patterns[*i]) == name);
                let back = one.patterns.first().and_then(|i| self.look_back(&head.patterns[*i]));
                law.timed(Cause::Clause(one.clause), || match back {
                    Some(view) => self.match_clause(&one, args, before, Plain::View(view), &mut list),
                    None => self.match_clause(&one, args, &self.state, Plain::Now, &mut list),
                });
            }
            list.sort_by_key(|i| i.carrier);
            found.append(&mut list);
        }
        for mut i in found {
            i.env.plain = Plain::Now;
            let you = match i.env.get(1) {
                Value::Player(p) if i.carrier != NO_OBJECT => p,
                _ => self.reader.active(&self.state),
            };
            self.note(&i, Did::Triggered);
            law.saw(Part::LookBack(i.name));
            if i.carrier != NO_OBJECT {
                self.moment(Verb::Trigger, i.carrier, i.name, verb);
            }
            self.pending.push(Pending { clause: i.clause, source: i.carrier, you, vars: i.env.vars });
        }
    }

    fn look_back(&self, p: &Pattern) -> Option<ViewId> {
        let program = self.reader.law.program;
        match p.event {
            Some(e) => program.events[e.index()].look_back,
            None => program.verb_look_back.iter().find(|(v, _)| *v == p.verb).map(|(_, view)| *view),
        }
    }
}
