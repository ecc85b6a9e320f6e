//! Clauses of rules, keywords, cards and ghosts.

use super::scope::{Scope, Where};
use crate::lang::ast::{self, Ident, Stage, StmtKind};
use crate::lang::diag::Code;
use crate::lang::tree::{
    ArgPattern, AttrSet, Clause, ClauseKind, Const, Expr, Frame, Head, RuleId, Slot, Target, Ty, Verb, Zone,
};

/// What owns a clause.
#[derive(Clone, Copy)]
pub(super) enum Carrier<'a> {
    /// A rule or ghost: no object.
    Law,
    /// A card.
    Card,
    /// A keyword, with the name of its cost.
    Keyword(Option<&'a Ident>),
}

/// Checks one clause that acts. A keyword's clause is carried if it says `self`, `you` or its cost.
pub(super) fn act(scope: &mut Scope, clause: &ast::Clause, rule: RuleId, carrier: Carrier) -> Option<Clause> {
    let mods = scope.env.mods.borrow().len();
    let clean = scope.findings.len();
    scope.vars.clear();
    scope.poison.clear();
    scope.frame = Frame::default();
    let toll = match carrier {
        Carrier::Law => None,
        Carrier::Card => Some(None),
        Carrier::Keyword(toll) => Some(toll),
    };
    if let Some(toll) = toll {
        scope.bind_as("self", clause.span, Ty::Object, false);
        scope.bind_as("you", clause.span, Ty::Player, false);
        if let Some(name) = toll {
            scope.bind(name, Ty::Cost);
        }
    }
    let own = scope.vars.len();
    let made = scope.clause_kind(clause);
    let carried = match carrier {
        Carrier::Law => false,
        Carrier::Card => true,
        Carrier::Keyword(_) => scope.vars.iter().take(own).any(|v| v.used.get()),
    };
    if own > 0 && !carried && scope.findings.len() == clean {
        scope.env.mods.borrow_mut().truncate(mods);
        return act(scope, clause, rule, Carrier::Law);
    }
    if let ast::ClauseKind::Permit { player, object, .. } = &clause.kind {
        let of_you = player.text == "you" && object.as_ref().is_none_or(|o| o.text == "self");
        if carried && !of_you {
            let message = "what a card or keyword permits for itself is permitted to `you`, on itself";
            scope.helped(Code::L239, player.span, message, "write `permit you`, without `on`");
            return None;
        }
    }
    let kind = made?;
    if carried && matches!(kind, ClauseKind::Check(..)) {
        let help = "write a `check` in a rule, which is asked of all objects";
        scope.helped(Code::L239, clause.span, "a card has no checks, nor has a keyword for what has it", help);
        return None;
    }
    if scope.findings.len() == clean && !scope.stages(&kind, clause.span) {
        return None;
    }
    let (about_self, zones) = if carried { stands(&kind) } else { (false, Vec::new()) };
    Some(Clause {
        rule,
        span: clause.span,
        carried,
        toll: carried && own > 2,
        about_self,
        zones,
        frame: std::mem::take(&mut scope.frame),
        kind,
        reads: AttrSet::default(),
        writes: AttrSet::default(),
    })
}

/// Where a carried clause works: with its object wherever that is, or in the zones that its guard names.
fn stands(kind: &ClauseKind) -> (bool, Vec<Zone>) {
    let (head, guard): (Option<&Head>, Option<&Expr>) = match kind {
        ClauseKind::Permit { guard, .. } | ClauseKind::MayLook { guard, .. } | ClauseKind::Static(_, guard, _) => {
            (None, guard.as_ref())
        }
        ClauseKind::Forbid(h) | ClauseKind::Stage(_, h, ..) | ClauseKind::Price(h, ..) => (Some(h), h.guard.as_ref()),
        ClauseKind::Check(_, guard, _) => (None, Some(guard)),
        ClauseKind::Spell(..) => (None, None),
    };
    let is_self = |arg: &ArgPattern| matches!(arg, ArgPattern::Is(Expr::Var(0)));
    let about = head.is_some_and(|h| h.patterns.iter().any(|p| p.args.iter().any(is_self)));
    let mut zones = guard.and_then(demanded_zones).unwrap_or_default();
    zones.sort();
    zones.dedup();
    (about, zones)
}

/// The zones of which a guard demands that `self` is in one; none: it may hold elsewhere too.
fn demanded_zones(e: &Expr) -> Option<Vec<Zone>> {
    match e {
        Expr::In(of, zone) if matches!(**of, Expr::Var(0)) => Some(vec![*zone]),
        Expr::And(list) => list.iter().find_map(demanded_zones),
        Expr::Or(list) => list.iter().map(demanded_zones).collect::<Option<Vec<_>>>().map(|zones| zones.concat()),
        _ => None,
    }
}

impl Scope<'_> {
    fn clause_kind(&mut self, clause: &ast::Clause) -> Option<ClauseKind> {
        let clean = self.findings.len();
        let base = self.vars.len();
        if let Where::Ghost(_) = self.place
            && !matches!(clause.kind, ast::ClauseKind::Stage(Stage::As, ..))
        {
            self.error(Code::L239, clause.span, "a ghost has only `as` clauses");
            return None;
        }
        let kind = match &clause.kind {
            ast::ClauseKind::Permit { player, object, ability, when, pay, target, body } => {
                let permit = Permit { player, object: object.as_ref(), ability: *ability, when: when.as_ref() };
                self.permit(clause, &permit, pay.as_ref(), target.as_ref(), body)
            }
            ast::ClauseKind::Forbid(head) => self.head(head).map(ClauseKind::Forbid),
            ast::ClauseKind::Stage(stage, head, target, body) => {
                if target.is_some() && *stage != Stage::Whenever {
                    self.error(Code::L239, clause.span, "only `whenever`, `spell` and an `ability` have a target");
                }
                self.stage(*stage, head, target.as_ref(), body)
            }
            ast::ClauseKind::Check(names, when, body) => {
                if !(1..=2).contains(&names.len()) {
                    self.error(Code::L239, clause.span, "a check is of one object or of two");
                }
                let slots: Vec<Slot> = names.iter().map(|n| self.bind(n, Ty::Object)).collect();
                let guard = self.typed(when, Ty::Bool);
                let body = self.block(body);
                guard.zip(body).map(|(g, b)| ClauseKind::Check(slots, g, b))
            }
            ast::ClauseKind::Price { head, more, cost } => {
                let head = self.head(head);
                let written = cost.span;
                let cost = self.cost_expr(cost);
                let named = |e: &Expr| matches!(e, Expr::Const(Const::Cost(Some(c))) if !c.named.is_empty());
                if !more && cost.as_ref().is_some_and(|c| c.parts.iter().any(named)) {
                    self.error(Code::L215, written, "only mana can be less");
                }
                head.zip(cost).map(|(h, c)| ClauseKind::Price(h, *more, c))
            }
            ast::ClauseKind::Static(name, when, mods) => {
                let slot = match self.var(&name.text) {
                    Some((slot, Ty::Object)) if name.text == "self" => slot,
                    _ if name.text == "self" => {
                        self.error(Code::L218, name.span, "`self` means nothing outside a card or keyword");
                        return None;
                    }
                    _ => self.bind(name, Ty::Object),
                };
                let guard = self.guard(when.as_ref());
                let mods = self.modifications(mods);
                guard.zip(mods).map(|(g, m)| ClauseKind::Static(slot, g, m))
            }
            ast::ClauseKind::Spell(when, target, body) => {
                if self.vars.is_empty() {
                    self.error(Code::L239, clause.span, "`spell` stands only in a card or keyword");
                    return None;
                }
                self.var("self");
                let guard = self.guard(when.as_ref());
                let target = self.target(target.as_ref());
                let body = self.block(body);
                guard.zip(target).zip(body).map(|((g, t), b)| ClauseKind::Spell(g, t, b))
            }
            ast::ClauseKind::Define(..)
            | ast::ClauseKind::View(..)
            | ast::ClauseKind::Event(..)
            | ast::ClauseKind::LookBack(..)
            | ast::ClauseKind::Procedure(..)
            | ast::ClauseKind::NamedCost(..)
            | ast::ClauseKind::Profile(..)
            | ast::ClauseKind::Marker(..) => {
                self.error(Code::L239, clause.span, "only a rule or keyword declares this");
                None
            }
        };
        self.leave(base, clean);
        kind
    }

    /// Whether the verbs of a clause pass the stages that it is about; else that is an error.
    fn stages(&mut self, kind: &ClauseKind, span: ast::Span) -> bool {
        let head = match kind {
            ClauseKind::Forbid(head) | ClauseKind::Stage(_, head, ..) | ClauseKind::Price(head, ..) => head,
            _ => return true,
        };
        let moment = head.patterns.iter().any(|p| matches!(p.verb, Verb::Trigger | Verb::Apply));
        if moment {
            let help = "ask for it in a property, or name the event itself here";
            self.helped(Code::L239, span, "`trigger` and `apply` pass no stages, so no clause is about them", help);
        }
        !moment
    }

    fn stage(
        &mut self,
        stage: Stage,
        head: &ast::Head,
        target: Option<&ast::Target>,
        body: &ast::Block,
    ) -> Option<ClauseKind> {
        let head = self.head(head);
        let target = self.target(target);
        let body = self.block(body);
        Some(ClauseKind::Stage(stage, head?, target?, body?))
    }

    #[allow(clippy::option_option)]
    fn target(&mut self, target: Option<&ast::Target>) -> Option<Option<Target>> {
        let Some(target) = target else { return Some(None) };
        let var = self.bind(&target.name, Ty::Object);
        let filter = self.typed(&target.filter, Ty::Bool)?;
        Some(Some(Target { var, filter }))
    }

    fn permit(
        &mut self,
        clause: &ast::Clause,
        permit: &Permit,
        pay: Option<&ast::Cost>,
        target: Option<&ast::Target>,
        body: &ast::Block,
    ) -> Option<ClauseKind> {
        let player = match permit.player.text.as_str() {
            "you" => match self.var("you") {
                Some((slot, _)) => slot,
                None => {
                    self.error(Code::L218, permit.player.span, "`you` means nothing outside a card or keyword");
                    return None;
                }
            },
            _ => self.bind(permit.player, Ty::Player),
        };
        let object = match permit.object {
            Some(name) if name.text != "self" => self.bind(name, Ty::Object),
            named => match self.var("self") {
                Some((slot, _)) => slot,
                None if named.is_some() => {
                    self.error(Code::L218, clause.span, "`self` means nothing outside a card or keyword");
                    return None;
                }
                None => {
                    self.error(Code::L239, clause.span, "a permit of a rule needs `on` and a name");
                    return None;
                }
            },
        };
        let guard = self.guard(permit.when);
        let is_look = |s: &ast::Stmt| matches!(&s.kind, StmtKind::Call(c, ..) if c.name.text == "look");
        if let [only] = body.stmts.as_slice()
            && is_look(only)
            && let StmtKind::Call(call, then, otherwise) = &only.kind
        {
            if permit.ability || pay.is_some() || target.is_some() || then.is_some() || otherwise.is_some() {
                self.error(
                    Code::L239,
                    clause.span,
                    "a permit to look is standing: it has no cost, target or consequence",
                );
            }
            let on = self.only_arg("look", &call.args, Ty::Object, call.span);
            if on.as_ref().is_some_and(|e| !matches!(e, Expr::Var(v) if *v == object)) {
                self.error(Code::L239, call.span, "a permit to look is of the object that it is `on`");
            }
            return Some(ClauseKind::MayLook { player, object, guard: guard? });
        }
        if target.is_some() && !permit.ability {
            self.error(Code::L239, clause.span, "only `whenever`, `spell` and an `ability` have a target");
        }
        let pay = self.paying(pay);
        let target = self.target(target);
        let judged = body.stmts.iter().any(|s| matches!(s.kind, StmtKind::Call(..)));
        if !permit.ability && !judged {
            let help = "call a verb in the body, outside `if`, `choose` and `may`, or say `ability`";
            self.helped(Code::L224, clause.span, "a permit does nothing that can be judged", help);
        }
        let body = self.block(body);
        let (guard, pay, target, body) = (guard?, pay?, target?, body?);
        Some(ClauseKind::Permit { player, object, ability: permit.ability, guard, pay, target, body })
    }
}

struct Permit<'a> {
    player: &'a Ident,
    object: Option<&'a Ident>,
    ability: bool,
    when: Option<&'a ast::Expr>,
}
