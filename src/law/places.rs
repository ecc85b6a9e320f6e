//! Where a program asks something that is yes or no, for coverage: guards, targets, defines, conditions and filters of
//! bodies, and what claims ask first. It counts them in the order of the text and knows nothing of what is answered.

use super::coverage::Part;
use crate::lang::ast::QuantKind;
use crate::lang::tree::{
    ArgPattern, Block, ClauseId, ClauseKind, Const, CounterId, DefineId, Duration, EventId, Expr, Head, NamedCostId,
    Pattern, ProcedureId, Program, Stmt, Ty, Verb, WayId, Zone,
};
use std::collections::BTreeSet;

/// Where conjuncts stand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Place {
    /// The guard of a clause.
    Guard(ClauseId),
    /// The filter of a clause's target.
    Target(ClauseId),
    /// The body of a define that is yes or no.
    Define(DefineId),
    /// The condition or filter of this number in the body of a clause, a procedure or a named cost.
    Body(Part, u16),
    /// What a property or conjecture asks before it claims, by its place in the program.
    Premise(u16),
    /// What a property claims then.
    Claim(u16),
}

/// The conjuncts of an expression: the parts of its `and`, and of those in it. An `or` is one, and after it come the
/// conjuncts of its sides; so are those of what a `not` denies.
pub fn flattened(e: &Expr) -> Vec<&Expr> {
    match e {
        Expr::And(list) => list.iter().flat_map(flattened).collect(),
        Expr::Or(sides) => std::iter::once(e).chain(sides.iter().flat_map(flattened)).collect(),
        Expr::Not(inner) => match &**inner {
            Expr::And(list) | Expr::Or(list) => std::iter::once(e).chain(list.iter().flat_map(flattened)).collect(),
            _ => vec![e],
        },
        other => vec![other],
    }
}

/// The conditions and filters of a body, in the order of the text.
fn conditions<'a>(block: &'a Block, found: &mut Vec<&'a Expr>) {
    for stmt in &block.stmts {
        match stmt {
            Stmt::Call(_, then, otherwise) | Stmt::May(_, then, otherwise) => {
                conditions(then, found);
                conditions(otherwise, found);
            }
            Stmt::Choose { filter, body, .. } | Stmt::Each { filter, body, .. } => {
                found.extend(filter);
                conditions(body, found);
            }
            Stmt::If(condition, then, otherwise) => {
                found.push(condition);
                conditions(then, found);
                conditions(otherwise, found);
            }
            Stmt::Let(..) | Stmt::Give(..) | Stmt::Set(..) => {}
        }
    }
}

fn in_body(part: Part, block: &Block) -> Vec<(Place, &Expr)> {
    let mut found = Vec::new();
    conditions(block, &mut found);
    found.into_iter().enumerate().map(|(i, e)| (Place::Body(part, i as u16), e)).collect()
}

/// The body of a clause, if it has one.
fn body(kind: &ClauseKind) -> Option<&Block> {
    match kind {
        ClauseKind::Permit { body, .. }
        | ClauseKind::Stage(.., body)
        | ClauseKind::Check(.., body)
        | ClauseKind::Spell(.., body) => Some(body),
        ClauseKind::MayLook { .. } | ClauseKind::Forbid(_) | ClauseKind::Price(..) | ClauseKind::Static(..) => None,
    }
}

/// The bodies of a program.
fn bodies(program: &Program) -> Vec<(Part, &Block)> {
    let clauses = program.clauses.iter().enumerate();
    let of_clauses = clauses.filter_map(|(i, c)| body(&c.kind).map(|b| (Part::Clause(ClauseId(i as u16)), b)));
    let procedures =
        program.procedures.iter().enumerate().map(|(i, p)| (Part::Procedure(ProcedureId(i as u16)), &p.body));
    let costs = program.named_costs.iter().enumerate().map(|(i, c)| (Part::Cost(NamedCostId(i as u16)), &c.body));
    of_clauses.chain(procedures).chain(costs).collect()
}

/// Where the law has conjuncts, each place with its expression.
pub fn places(program: &Program) -> Vec<(Place, &Expr)> {
    let clauses = program.clauses.iter().enumerate().flat_map(|(i, clause)| {
        let id = ClauseId(i as u16);
        let (guard, target) = match &clause.kind {
            ClauseKind::Permit { guard, target, .. } => (guard.as_ref(), target.as_ref()),
            ClauseKind::MayLook { guard, .. } | ClauseKind::Static(_, guard, _) => (guard.as_ref(), None),
            ClauseKind::Forbid(head) | ClauseKind::Price(head, ..) => (head.guard.as_ref(), None),
            ClauseKind::Stage(_, head, target, _) => (head.guard.as_ref(), target.as_ref()),
            ClauseKind::Check(_, guard, _) => (Some(guard), None),
            ClauseKind::Spell(guard, target, _) => (guard.as_ref(), target.as_ref()),
        };
        let guard = guard.map(|e| (Place::Guard(id), e));
        guard.into_iter().chain(target.map(|t| (Place::Target(id), &t.filter)))
    });
    let defines = program.defines.iter().enumerate().filter(|(_, define)| define.ty == Ty::Bool);
    let defines = defines.map(|(i, define)| (Place::Define(DefineId(i as u16)), &define.body));
    let inside = bodies(program).into_iter().flat_map(|(part, block)| in_body(part, block));
    clauses.chain(defines).chain(inside).collect()
}

/// Where claims of what always holds have conjuncts: what is asked first, and what is claimed of what has it.
pub fn of_claims(program: &Program) -> Vec<(Place, &Expr)> {
    use crate::lang::tree::Claim;
    let mut list = Vec::new();
    for (i, property) in program.properties.iter().enumerate() {
        let (premise, claim) = match &property.claim {
            Claim::Always(Expr::Quant { kind: QuantKind::Every, filter, body, .. }) => {
                (Some(&**filter), body.as_deref())
            }
            Claim::Always(e) => (None, Some(e)),
            Claim::Whenever(head, e) => (head.guard.as_ref(), Some(e)),
            Claim::Blind(e) => (Some(e), None),
            Claim::PossibleState(_) | Claim::PossibleEvent(_) => (None, None),
        };
        list.extend(premise.map(|e| (Place::Premise(i as u16), e)));
        list.extend(claim.map(|e| (Place::Claim(i as u16), e)));
    }
    list
}

/// A value of an event's argument that is one of a few.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Word {
    /// A zone.
    Zone(Zone),
    /// A way up or down.
    Way(WayId),
    /// How long something lasts.
    Duration(Duration),
    /// Where a part is put.
    Place(crate::lang::tree::Place),
    /// A kind of counter.
    Counter(CounterId),
}

fn word(e: &Expr) -> Option<Word> {
    match e {
        Expr::Const(Const::Zone(z)) => Some(Word::Zone(*z)),
        Expr::Const(Const::Way(Some(w))) => Some(Word::Way(*w)),
        Expr::Const(Const::Duration(d)) => Some(Word::Duration(*d)),
        Expr::Const(Const::Place(p)) => Some(Word::Place(*p)),
        Expr::Const(Const::Counter(k)) => Some(Word::Counter(*k)),
        _ => None,
    }
}

/// What the clauses and bodies of a program say of built-in verbs: the verbs that heads listen to, by clause, and the words
/// that heads or calls name for an argument.
#[derive(Clone, Debug, Default)]
pub struct Spoken {
    /// Clauses that are written on a verb itself.
    pub heads: BTreeSet<(Verb, ClauseId)>,
    /// Clauses that are written on a named event.
    pub names: BTreeSet<(EventId, ClauseId)>,
    /// Verbs that bodies call.
    calls: BTreeSet<Verb>,
    /// Verb, place among its arguments, word.
    pub words: BTreeSet<(Verb, u8, Word)>,
}

impl Spoken {
    /// What a program says.
    pub fn of(program: &Program) -> Spoken {
        let mut spoken = Spoken::default();
        for (i, clause) in program.clauses.iter().enumerate() {
            let (ClauseKind::Forbid(head) | ClauseKind::Price(head, ..) | ClauseKind::Stage(_, head, ..)) =
                &clause.kind
            else {
                continue;
            };
            spoken.head(head, ClauseId(i as u16));
        }
        bodies(program).into_iter().for_each(|(_, block)| spoken.block(block));
        spoken
    }

    /// Whether the law speaks of a verb at all.
    pub fn says(&self, verb: Verb) -> bool {
        self.calls.contains(&verb)
            || self.heads.iter().any(|(v, _)| *v == verb)
            || self.words.iter().any(|w| w.0 == verb)
    }

    fn head(&mut self, head: &Head, clause: ClauseId) {
        for Pattern { verb, args, event, .. } in &head.patterns {
            match event {
                Some(event) => self.names.insert((*event, clause)),
                None => self.heads.insert((*verb, clause)),
            };
            for (i, arg) in args.iter().enumerate() {
                if let ArgPattern::Is(e) = arg {
                    self.words.extend(word(e).map(|w| (*verb, i as u8, w)));
                }
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Call(call, then, otherwise) => {
                    self.calls.insert(call.verb);
                    for (i, e) in call.args.iter().enumerate() {
                        self.words.extend(e.as_ref().and_then(word).map(|w| (call.verb, i as u8, w)));
                    }
                    self.block(then);
                    self.block(otherwise);
                }
                Stmt::May(_, then, otherwise) | Stmt::If(_, then, otherwise) => {
                    self.block(then);
                    self.block(otherwise);
                }
                Stmt::Choose { body, .. } | Stmt::Each { body, .. } => self.block(body),
                Stmt::Let(..) | Stmt::Give(..) | Stmt::Set(..) => {}
            }
        }
    }
}
