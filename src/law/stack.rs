//! The stack: its entries, casting, carrying out what is on it, and paying.

use super::eval::Env;
use super::profile::Cause;
use super::verbs::{Did, Note, Run, Stop};
use crate::game::record::{Entry, EntryKind, NO_OBJECT, Obj, Value};
use crate::lang::tree::{ClauseId, ClauseKind, Stmt, Target, Verb, Zone};

use super::changes::player;

impl<'p> Run<'_, 'p> {
    /// Puts an entry onto the stack, up to its cap.
    pub fn push_entry(&mut self, entry: Entry) -> Option<usize> {
        self.reader.log.full(self.reader.law.stack_component());
        if self.state.stack_length() >= usize::from(self.reader.law.setting.limits.stack_cap) {
            self.stop = Some(Stop::Cap);
            return None;
        }
        let stack = self.stack();
        stack.push(entry);
        Some(stack.len() - 1)
    }

    /// Takes an object's entry off the stack.
    pub fn remove_entry(&mut self, o: Obj) {
        self.reader.log.full(self.reader.law.stack_component());
        let Some(i) = self
            .state
            .entry_of(o)
            .or_else(|| self.state.stack.iter().position(|e| matches!(e.what, EntryKind::Spell(s) if s == o)))
        else {
            return;
        };
        let stack = self.stack();
        stack[i] = Entry { what: EntryKind::Gone, aims: NO_OBJECT, targeted: false };
        for e in stack.iter_mut().filter(|e| e.aims == o) {
            e.aims = NO_OBJECT;
        }
    }

    /// Takes removed entries out, and renames what spoke of the abilities above them.
    pub fn compact_stack(&mut self) {
        if !self.state.stack.iter().any(|e| e.what == EntryKind::Gone) {
            return;
        }
        let slots = self.state.slots.len();
        let mut place = 0;
        let new: Vec<Obj> = self
            .state
            .stack
            .iter()
            .map(|e| {
                if e.what == EntryKind::Gone {
                    return NO_OBJECT;
                }
                place += 1;
                (slots + place - 1) as Obj
            })
            .collect();
        let rename = |o: Obj| match usize::from(o).checked_sub(slots) {
            Some(i) if o != NO_OBJECT => new.get(i).copied().unwrap_or(NO_OBJECT),
            _ => o,
        };
        let stack = self.stack();
        stack.retain(|e| e.what != EntryKind::Gone);
        for e in stack.iter_mut() {
            e.aims = rename(e.aims);
            if let EntryKind::Ability { vars, .. } = &mut e.what {
                for v in vars {
                    if let Value::Object(o) = v {
                        *o = rename(*o);
                    }
                }
            }
        }
    }

    /// Casts: onto the stack, then a target is chosen.
    pub fn cast(&mut self, o: Obj, by: u8) -> bool {
        let from = match self.reader.zone(&self.state, o) {
            Some(z) => Value::Zone(z),
            None => Value::Bool(false),
        };
        if !self.act(Verb::Move, vec![Value::Object(o), Value::Zone(Zone::Stack), Value::Player(by), from]) {
            return false;
        }
        if let Some((clause, target)) = self.spell_target(o) {
            let mut env = self.spell_env(o, clause);
            let mut candidates = self.aimable(target, &env);
            // A spell is no target of itself (115.5).
            candidates.retain(|x| *x != o);
            if let Some(x) = self.choose(&candidates) {
                env.set(target.var, Value::Object(x));
                self.aim(o, x);
            }
        }
        !self.stopped()
    }

    /// Aims an object on the stack at another.
    pub fn aim(&mut self, o: Obj, x: Obj) {
        if let Some(i) = self.state.entry_of(o) {
            let entry = &mut self.stack()[i];
            entry.aims = x;
            entry.targeted = true;
            self.act(Verb::Target, vec![Value::Object(x), Value::Object(o)]);
        }
    }

    fn spell_clauses(&self, o: Obj) -> Vec<ClauseId> {
        let look = self.reader.look(&self.state, o, self.reader.law.now);
        let program = self.reader.law.program;
        let abilities = self.reader.abilities(look);
        let holds = |c: &ClauseId| match &program.clauses[c.index()].kind {
            ClauseKind::Spell(None, ..) => true,
            ClauseKind::Spell(Some(guard), ..) => self.reader.truth(guard, &self.state, &self.spell_env(o, *c)),
            _ => false,
        };
        abilities.iter().map(|(c, _)| *c).filter(holds).collect()
    }

    /// The target that a spell asks for, if it does.
    pub fn spell_target(&self, o: Obj) -> Option<(ClauseId, &'p Target)> {
        let program = self.reader.law.program;
        self.spell_clauses(o).into_iter().find_map(|c| match &program.clauses[c.index()].kind {
            ClauseKind::Spell(_, Some(t), _) => Some((c, t)),
            _ => None,
        })
    }

    /// Whether an object has a clause that may ask for a target when it is a spell.
    pub fn may_target(&self, o: Obj) -> bool {
        let look = self.reader.look(&self.state, o, self.reader.law.now);
        let clauses = &self.reader.law.program.clauses;
        let asks = |c: ClauseId| matches!(clauses[c.index()].kind, ClauseKind::Spell(_, Some(_), _));
        self.reader.abilities(look).iter().any(|(c, _)| asks(*c))
    }

    /// The variables of a spell's clause.
    pub fn spell_env(&self, o: Obj, clause: ClauseId) -> Env {
        self.reader.carried_env(&self.state, &self.reader.law.program.clauses[clause.index()], o, None)
    }

    /// Carries out what a spell or ability does.
    pub fn run_entry(&mut self, o: Obj) {
        self.reader.log.full(self.reader.law.stack_component());
        let Some(entry) = self.state.entry_of(o).map(|i| self.state.stack[i].clone()) else { return };
        let program = self.reader.law.program;
        match entry.what {
            EntryKind::Spell(_) => {
                let mut bodies = Vec::new();
                for c in self.spell_clauses(o) {
                    let ClauseKind::Spell(_, target, body) = &program.clauses[c.index()].kind else { continue };
                    let mut env = self.spell_env(o, c);
                    if !self.target_fits(target.as_ref(), entry.aims, &mut env) {
                        return;
                    }
                    bodies.push((c, body, env));
                }
                for (c, body, mut env) in bodies {
                    self.notes.push(Note { clause: c, did: Did::Resolved, carrier: o });
                    self.reader.law.timed(Cause::Clause(c), || self.block(body, &mut env));
                }
            }
            EntryKind::Ability { clause, source, vars, .. } => {
                let (target, body) = match &program.clauses[clause.index()].kind {
                    ClauseKind::Stage(_, _, target, body) => (target, body),
                    ClauseKind::Permit { target, body, .. } => (target, body),
                    _ => return,
                };
                let mut env = Env { vars, plain: super::eval::Plain::Now };
                if self.target_fits(target.as_ref(), entry.aims, &mut env) {
                    self.notes.push(Note { clause, did: Did::Resolved, carrier: source });
                    self.reader.law.timed(Cause::Clause(clause), || self.block(body, &mut env));
                }
            }
            EntryKind::Gone => {}
        }
    }

    /// Whether a target is still right (608.2b); binds it.
    fn target_fits(&self, target: Option<&Target>, aims: Obj, env: &mut Env) -> bool {
        let Some(t) = target else { return true };
        env.set(t.var, Value::Object(aims));
        aims != NO_OBJECT && self.reader.truth(&t.filter, &self.state, env)
    }

    /// Whether a cost can be paid: it is one, there is mana, and each `choose` at the top of a named cost has a candidate.
    pub fn can_pay(&self, args: &[Value]) -> bool {
        let (p, Some(Value::Cost(Some(c)))) = (player(args.first()), args.get(1)) else { return false };
        let cost = self.reader.law.looks.get_cost(*c);
        if self.reader.law.setting.mana.is_some() {
            let needed = cost.mana.value();
            if needed > 0 {
                self.reader.log.full(self.reader.law.player_component(p));
                let left = self.state.players.get(usize::from(p)).and_then(|r| r.mana).unwrap_or(0);
                if needed > i32::from(left) {
                    return false;
                }
            }
        }
        cost.named.iter().all(|n| {
            let named = &self.reader.law.program.named_costs[n.index()];
            let env = self.cost_env(&named.frame, p);
            named.body.stmts.iter().all(|s| match s {
                Stmt::Choose { var, among, filter, .. } => {
                    !self.candidates(*var, among, filter.as_ref(), &env).is_empty()
                }
                _ => true,
            })
        })
    }

    fn cost_env(&self, frame: &crate::lang::tree::Frame, p: u8) -> Env {
        let mut env = Env::of(frame);
        env.set(0, Value::Player(p));
        env.set(1, Value::Object(self.paying_for));
        env
    }

    /// Pays a cost.
    pub fn pay(&mut self, args: &[Value]) -> bool {
        let (p, Some(Value::Cost(Some(c)))) = (player(args.first()), args.get(1)) else { return false };
        let cost = self.reader.law.looks.get_cost(*c);
        if self.reader.law.setting.mana.is_some() && cost.mana.value() > 0 {
            let rec = self.player_rec(p);
            rec.mana = rec.mana.map(|m| m.saturating_sub(cost.mana.value().max(0) as u16));
        }
        for n in &cost.named {
            let named = &self.reader.law.program.named_costs[n.index()];
            let mut env = self.cost_env(&named.frame, p);
            self.block(&named.body, &mut env);
        }
        !self.stopped()
    }
}
