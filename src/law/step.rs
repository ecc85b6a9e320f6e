//! Steps: everything that can happen next in a state, each with all its outcomes; then checks, triggers and knowledge.

use super::eval::{Env, Happening, Plain, Reader};
use super::ground::{Check, Law, projection as at};
use super::offers::Found;
use super::profile::Cause;
use super::verbs::{Branch, Choice, Did, Note, Only, Pending, Run, Stop};
use crate::game::memory::Log;
use crate::game::record::{CostId, Entry, EntryKind, NO_OBJECT, Obj, State, Value};
use crate::lang::diag::Code;
use crate::lang::tree::{Clause, ClauseId, ClauseKind, Expr, ProcedureId, Stmt, Verb};
use itertools::Itertools;
use std::rc::Rc;

/// Most triggers of one player in one step whose every order is tried.
pub const TRIGGERS_MAX: usize = 5;

/// So many checks have their gates kept in one number; those behind them are always asked in full.
const CHECKS_GATED: usize = 32;

/// Something that can be tried in any state of a world: a step's kind, as far as it is known beforehand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Action {
    /// The top of the stack resolves.
    Resolve,
    /// An effect of the world; of one that is a choice, one candidate.
    Effect(ProcedureId, u8, Option<Only>),
    /// A permit's offer to a player on an object.
    Offer(ClauseId, u8, Obj),
}

/// What a step is, for people and for replays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Label {
    /// The top of the stack resolves.
    Resolve,
    /// An effect of the world.
    Effect(ProcedureId, u8),
    /// An offer taken at a cost.
    Offer(ClauseId, u8, Obj, CostId),
}

/// One outcome of an action.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What it is.
    pub label: Label,
    /// What was chosen.
    pub choices: Vec<Choice>,
    /// The state after it.
    pub state: State,
    /// What happened.
    pub happenings: Vec<Happening>,
    /// Which clause did what.
    pub notes: Vec<Note>,
}

/// All outcomes of an action in a state.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    /// Those that are offered.
    pub list: Vec<Outcome>,
    /// A cap was met, or a budget in what is mandatory.
    pub incomplete: bool,
    /// The law has a fault here.
    pub fault: Option<(Code, String)>,
}

impl<'p> Law<'p> {
    /// Every action of the world, grouped: for each slot those that are about it, then the rest one by one.
    pub fn actions(&self) -> Vec<(Option<usize>, Vec<Action>)> {
        let players = self.setting.players.len() as u8;
        let mut groups: Vec<(Option<usize>, Vec<Action>)> = Vec::new();
        for slot in 0..self.slots {
            let o = slot as Obj;
            let mut list = Vec::new();
            for p in 0..players {
                list.extend(self.permits.iter().map(|c| Action::Offer(*c, p, o)));
            }
            for (procedure, by) in &self.setting.allows {
                if self.begins_with_choice(*procedure) {
                    list.extend(by.iter().map(|p| Action::Effect(*procedure, *p, Some(Only::Slot(o)))));
                }
            }
            groups.push((Some(slot), list));
        }
        // What is about no slot: together, where it can't be done while something waits to resolve; else by itself.
        let alone = self.setting.limits.stack_budget <= 1;
        let mut rest = Vec::new();
        for (procedure, by) in &self.setting.allows {
            if !self.begins_with_choice(*procedure) {
                let body = self.program.procedures[procedure.index()].body.stmts.as_slice();
                let only = matches!(body, [Stmt::Choose { .. }]).then_some(Only::Listed);
                rest.extend(by.iter().map(|p| Action::Effect(*procedure, *p, only)));
            } else if !alone {
                rest.extend(by.iter().map(|p| Action::Effect(*procedure, *p, Some(Only::Abilities))));
            }
        }
        if alone {
            rest.insert(0, Action::Resolve);
            groups.push((None, rest));
        } else {
            groups.push((None, vec![Action::Resolve]));
            groups.extend(rest.into_iter().map(|action| (None, vec![action])));
        }
        groups
    }

    fn begins_with_choice(&self, p: ProcedureId) -> bool {
        let body = &self.program.procedures[p.index()].body.stmts;
        matches!(body.as_slice(), [Stmt::Choose { among, .. }] if among.is_empty())
    }
}

/// All outcomes of one action.
pub fn outcomes(reader: &Reader, base: &State, action: Action) -> Outcomes {
    let mut all = Outcomes::default();
    let length = reader.stack_length(base);
    if reader.over(base) || (action != Action::Resolve && length >= usize::from(reader.law.setting.limits.stack_budget))
    {
        return all;
    }
    match action {
        Action::Resolve => {
            if length > 0 {
                reader.log.full(reader.law.stack_component());
                let top = base.top_of_stack();
                let Some(resolve) = reader.law.program.resolve else { return all };
                scripts(reader, base, Label::Resolve, &mut all, |run| {
                    run.act(Verb::Procedure(resolve), vec![Value::Object(top)]);
                });
            }
        }
        Action::Effect(procedure, p, only) => {
            if reader.in_game(base, p) {
                scripts(reader, base, Label::Effect(procedure, p), &mut all, |run| {
                    run.restrict = only;
                    run.act(Verb::Procedure(procedure), vec![Value::Player(p)]);
                });
            }
        }
        Action::Offer(clause, p, o) => {
            if reader.exists(base, usize::from(o)) {
                for found in reader.judge(base, clause, p, o).unwrap_or_default() {
                    let label = Label::Offer(clause, p, o, found.cost);
                    scripts(reader, base, label, &mut all, |run| run.take(&found));
                }
            }
        }
    }
    all
}

/// Runs every script of a step.
fn scripts(reader: &Reader, base: &State, label: Label, all: &mut Outcomes, mut go: impl FnMut(&mut Run)) {
    let mut script: Option<Vec<Branch>> = Some(Vec::new());
    while let Some(s) = script {
        let mut run = Run::new(reader.clone(), base.clone(), s);
        reader.law.run_begins();
        go(&mut run);
        run.finish(base);
        reader.law.run_ends(&run, base, Some(label));
        match run.stop.take() {
            None => all.list.push(Outcome {
                label,
                choices: run.choices,
                state: run.state,
                happenings: run.happenings,
                notes: run.notes,
            }),
            Some(Stop::Absent) => return,
            Some(Stop::Budget) => all.incomplete |= label == Label::Resolve,
            Some(Stop::Cap) => all.incomplete = true,
            Some(Stop::Fault(code, what)) | Some(Stop::Choice(code, what)) => all.fault = Some((code, what)),
        }
        run.script.truncate(run.place);
        script = Run::next_script(run.script);
    }
}

impl Run<'_, '_> {
    /// Takes an offer: its cost is paid, then its body done or its ability put onto the stack.
    pub fn take(&mut self, found: &Found) {
        let law = self.reader.law;
        let ClauseKind::Permit { ability, target, body, .. } = &law.program.clauses[found.clause.index()].kind else {
            return;
        };
        let (o, p) = (Value::Object(found.object), Value::Player(found.player));
        self.notes.push(Note { clause: found.clause, did: Did::Permitted, carrier: NO_OBJECT });
        if !self.act(Verb::Take, vec![o, p]) {
            return;
        }
        let mut env = found.env.clone();
        let mut aims = NO_OBJECT;
        if *ability {
            if !self.act(Verb::Activate, vec![o, p]) {
                return;
            }
            if let Some(t) = target {
                let candidates = self.aimable(t, &env);
                let Some(x) = self.choose(&candidates) else { return };
                aims = x;
            }
        }
        self.paying_for = found.object;
        if !self.act(Verb::Pay, vec![p, Value::Cost(Some(found.cost))]) {
            return;
        }
        if *ability {
            let what = EntryKind::Ability {
                clause: found.clause,
                source: found.object,
                you: found.player,
                vars: env.vars.clone(),
            };
            self.put_on_stack(what, aims, target.is_some());
        } else {
            law.timed(Cause::Clause(found.clause), || self.block(body, &mut env));
        }
    }

    /// What goes with every step: checks, triggers, knowledge.
    pub fn finish(&mut self, base: &State) {
        if self.stopped() {
            return;
        }
        self.checks(base);
        self.place_triggers();
        if !self.stopped() {
            self.knowledge(base);
            self.compact_stack();
        }
    }

    /// State-based actions, until none applies. What was settled before the step and is untouched is settled still.
    pub fn checks(&mut self, base: &State) {
        let law = self.reader.law;
        for round in 0.. {
            let mut found: Vec<(ClauseId, Vec<Obj>)> = Vec::new();
            let untouched_settled = !self.reader.statics_active(base) && !self.reader.statics_active(&self.state);
            for check in &law.checks {
                law.timed(Cause::Clause(check.clause), || self.find_checks(check, untouched_settled, &mut found));
            }
            if found.is_empty() || self.stopped() {
                return;
            }
            if round > self.state.slots.len() + 2 {
                let rule = &law.program.rules[law.program.clauses[found[0].0.index()].rule.index()];
                self.stop = Some(Stop::Fault(Code::L405, format!("state-based actions do not settle: {}", rule.name)));
                return;
            }
            let before = self.state.clone();
            self.moment_begins(true);
            for (c, objects) in found {
                let clause = &law.program.clauses[c.index()];
                let ClauseKind::Check(vars, _, body) = &clause.kind else { continue };
                self.notes.push(Note { clause: c, did: Did::Checked, carrier: objects[0] });
                law.timed(Cause::Clause(c), || self.block(body, &mut check_env(clause, vars, &objects)));
            }
            self.moment_ends();
            if self.state == before {
                return;
            }
        }
    }

    fn find_checks(&self, check: &Check, settled: bool, found: &mut Vec<(ClauseId, Vec<Obj>)>) {
        let law = self.reader.law;
        let clause = &law.program.clauses[check.clause.index()];
        let ClauseKind::Check(vars, guard, _) = &clause.kind else { return };
        let touched = |o: Obj| self.touched(o);
        let slots = 0..self.state.slots.len() as Obj;
        if check.variables == 1 {
            for o in slots {
                if settled && !touched(o) && (check.own || !self.gate_open(check, 0, o)) {
                    continue;
                }
                if self.reader.exists(&self.state, usize::from(o)) && self.check_holds(vars, guard, clause, &[o]) {
                    found.push((check.clause, vec![o]));
                }
            }
            return;
        }
        for [a, b] in slots.array_combinations() {
            if settled && check.own && !touched(a) && !touched(b) {
                continue;
            }
            for pair in [[a, b], [b, a]] {
                let open = |i: usize| !settled || touched(pair[i]) || self.gate_open(check, i, pair[i]);
                if !open(0) || !open(1) {
                    continue;
                }
                let there = pair.iter().all(|o| self.reader.exists(&self.state, usize::from(*o)));
                if there && self.check_holds(vars, guard, clause, &pair) {
                    found.push((check.clause, pair.to_vec()));
                    break;
                }
            }
        }
    }

    /// Whether the step has changed, or read the whole of, an object or one of its components.
    fn touched(&self, o: Obj) -> bool {
        let full = |o: &Obj| self.reader.log.is_full(usize::from(*o));
        full(&o) || self.reader.parts(&self.state, o).iter().any(full)
    }

    fn check_holds(&self, vars: &[u8], guard: &Expr, clause: &Clause, objects: &[Obj]) -> bool {
        self.reader.truth(guard, &self.state, &check_env(clause, vars, objects))
    }

    /// Whether the part of a check's guard that is about one object alone holds: one read for all checks together.
    fn gate_open(&self, check: &Check, var: usize, o: Obj) -> bool {
        if !self.reader.parts(&self.state, o).is_empty() {
            return true;
        }
        let rec = &self.state.slots[usize::from(o)];
        let gates = gates(self.reader.law, rec);
        self.reader.log.note(usize::from(o), at::GATES);
        let law = self.reader.law;
        let place = law.checks.iter().position(|c| c.clause == check.clause).unwrap_or(CHECKS_GATED);
        place >= CHECKS_GATED || gates >> (place * 2 + var) & 1 == 1
    }

    /// Puts collected triggers onto the stack, the active player's first, in every order that each player may pick.
    fn place_triggers(&mut self) {
        while !self.pending.is_empty() && !self.stopped() {
            let pending = std::mem::take(&mut self.pending);
            let players = self.state.players.len() as u8;
            let active = self.reader.active(&self.state);
            for i in 0..players {
                let p = (active + i) % players;
                // What a player who has left would put onto the stack is not put there (800.4d).
                if !self.reader.in_game(&self.state, p) {
                    continue;
                }
                let mine: Vec<Pending> = pending.iter().filter(|t| t.you == p).cloned().collect();
                if mine.len() > TRIGGERS_MAX {
                    let what = format!(
                        "{} triggers of one player wait at once; every order of at most {TRIGGERS_MAX} is tried",
                        mine.len()
                    );
                    self.stop = Some(Stop::Fault(Code::L407, what));
                    return;
                }
                let orders: Vec<Vec<Pending>> = mine.iter().cloned().permutations(mine.len()).unique().collect();
                let n = self.order(orders.len());
                for t in &orders[n] {
                    self.place_trigger(t);
                }
            }
        }
    }

    fn place_trigger(&mut self, t: &Pending) {
        let law = self.reader.law;
        let ClauseKind::Stage(_, _, target, _) = &law.program.clauses[t.clause.index()].kind else { return };
        if self.stopped() {
            return;
        }
        let vars = t.vars.clone();
        let mut aims = NO_OBJECT;
        if let Some(target) = target {
            let env = Env { vars: vars.clone(), plain: Plain::Now };
            let candidates = self.aimable(target, &env);
            let Some(x) = self.choose(&candidates) else { return };
            aims = x;
        }
        let what = EntryKind::Ability { clause: t.clause, source: t.source, you: t.you, vars };
        self.put_on_stack(what, aims, target.is_some());
    }

    /// Puts an ability onto the stack and then aims it, which may trigger something.
    fn put_on_stack(&mut self, what: EntryKind, aims: Obj, targeted: bool) {
        if let Some(i) = self.push_entry(Entry { what, aims: NO_OBJECT, targeted })
            && aims != NO_OBJECT
        {
            let s = self.state.object_at(i);
            self.aim(s, aims);
        }
    }

    /// Takes every standing permission to look.
    pub fn knowledge(&mut self, base: &State) {
        let law = self.reader.law;
        if !law.setting.tracked.known {
            return;
        }
        let settled = !self.reader.statics_active(base) && !self.reader.statics_active(&self.state);
        for o in 0..self.state.slots.len() as Obj {
            let untouched = settled && !self.touched(o);
            if !self.reader.exists(&self.state, usize::from(o)) {
                continue;
            }
            for p in 0..self.state.players.len() as u8 {
                let sees = law
                    .may_look
                    .iter()
                    .any(|(c, own)| !(untouched && *own) && self.reader.look_permitted(&self.state, *c, p, o));
                if !sees {
                    continue;
                }
                self.reader.log.note(usize::from(o), at::KNOWN);
                if self.state.slots[usize::from(o)].known >> p & 1 == 0 {
                    self.slot(o).known |= 1 << p;
                }
            }
        }
    }
}

/// The variables of a check of these objects.
pub(super) fn check_env(clause: &Clause, vars: &[u8], objects: &[Obj]) -> Env {
    let mut env = Env::of(&clause.frame);
    for (v, o) in vars.iter().zip(objects) {
        env.set(*v, Value::Object(*o));
    }
    env
}

/// For each check and variable, whether the part of the guard about that object alone holds, by its own record.
pub fn gates(law: &Law, rec: &Rc<crate::game::record::SlotRec>) -> u64 {
    if let Some((_, Some(known))) = law.memo.records.borrow().get(rec) {
        return *known;
    }
    let mut bits = 0u64;
    // A state with this record alone: the gate reads nothing else.
    let mut st = law.blank();
    st.slots[0] = rec.clone();
    let quiet = Reader::new(law, Rc::new(Log::off()));
    let mut env = Env { vars: vec![Value::Object(0); 16], plain: Plain::Now };
    for (i, check) in law.checks.iter().enumerate().take(CHECKS_GATED) {
        for (v, gate) in check.gates.iter().enumerate() {
            env.vars[v] = Value::Object(0);
            if law.beforehand(|| gate.iter().all(|g| quiet.truth(g, &st, &env))) {
                bits |= 1 << (i * 2 + v);
            }
        }
    }
    law.memo.records.borrow_mut().entry(rec.clone()).or_default().1 = Some(bits);
    bits
}

/// A settled start: checks that find nothing, then knowledge.
pub fn settle_start(law: &Law, state: State) -> Result<State, (Code, String)> {
    let reader = Reader::new(law, Rc::new(Log::off()));
    let base = state.clone();
    let mut run = Run::new(reader, state, Vec::new());
    run.checks(&base);
    if !run.happenings.is_empty() {
        return Err((
            Code::L405,
            "a card of the start is at once dealt with by a state-based action; start it elsewhere".into(),
        ));
    }
    run.knowledge(&base);
    match run.stop.take() {
        Some(Stop::Fault(code, what)) => Err((code, what)),
        _ => Ok(run.state),
    }
}
