//! Rulings: what is given, what is done, what must be true then.

use std::collections::BTreeSet;

use super::collect::Items;
use super::declare::says_of;
use super::exprs::player_letter;
use super::law::{leave_out, left_out};
use super::scope::{Env, Finding, Scope, Where};
use crate::lang::ast::{self, Ident, Place, RulingAct, RulingLine};
use crate::lang::diag::Code;
use crate::lang::tree::{Const, Expr, Given, Ruling, RulingStep, Ty};

/// How many players a ruling has: A and B, and more if something given is theirs.
fn players_named(r: &ast::Ruling) -> u8 {
    let letters = r.lines.iter().flat_map(|line| match line {
        RulingLine::Active(name) => vec![name],
        RulingLine::Given { player, places, .. } => {
            let under = places.iter().filter_map(|p| if let Place::Under(name) = p { Some(name) } else { None });
            under.chain([player]).collect()
        }
        RulingLine::When { .. } | RulingLine::Then(_) => Vec::new(),
    });
    letters.filter_map(|name| player_letter(&name.text)).max().map_or(2, |last| (last + 1).max(2))
}

/// Checks all rulings.
pub(super) fn check(items: &Items, env: &mut Env, findings: &mut Vec<Finding>) {
    for ruling in &items.rulings {
        let mut scope = Scope::new(env, Where::Ruling);
        let made = scope.ruling(ruling);
        let own = std::mem::take(&mut scope.findings);
        if let Some(why) = left_out(&own) {
            leave_out(env, "ruling", &ruling.name, why);
            continue;
        }
        findings.extend(own);
        env.program.rulings.push(made);
    }
}

impl Scope<'_> {
    fn ruling(&mut self, r: &ast::Ruling) -> Ruling {
        let (mut active, mut given, mut steps) = (None, Vec::new(), Vec::new());
        self.players = players_named(r);
        for line in &r.lines {
            match line {
                RulingLine::Active(name) => {
                    let player = self.letter(name);
                    if active.replace(player.unwrap_or(0)).is_some() {
                        self.error(Code::L202, name.span, "the active player is given twice");
                    }
                    if !steps.is_empty() {
                        self.error(Code::L239, name.span, "what is given stands before what is done");
                    }
                }
                RulingLine::Given { name, card, zone, player, places } => {
                    if !steps.is_empty() {
                        self.error(Code::L239, name.span, "what is given stands before what is done");
                    }
                    given.extend(self.given(name, card, zone, player, places));
                }
                RulingLine::When { act, paying, choosing, span } => {
                    steps.extend(self.done(act, paying.as_ref(), choosing, *span));
                }
                RulingLine::Then(list) => {
                    for e in list {
                        let span = e.span;
                        steps.extend(self.typed(e, Ty::Bool).map(|e| RulingStep::Then(e, span)));
                    }
                }
            }
        }
        if given.len() > super::worlds::SLOTS_MAX {
            let message = format!("the ruling gives {} cards, the limit is {}", given.len(), super::worlds::SLOTS_MAX);
            self.error(Code::L302, r.name.span, message);
        }
        Ruling {
            name: r.name.text.clone(),
            cites: r.header.cites.iter().map(|c| c.text.clone()).collect(),
            from: r.header.from.iter().map(|f| f.text.clone()).collect(),
            says: says_of(&r.says),
            frame: std::mem::take(&mut self.frame),
            active: active.unwrap_or(0),
            given,
            steps,
            span: r.span,
        }
    }

    fn letter(&mut self, name: &Ident) -> Option<u8> {
        let found = player_letter(&name.text).filter(|p| *p < self.players);
        if found.is_none() {
            let message = format!("no player of this ruling is named `{}`", name.text);
            self.helped(
                Code::L201,
                name.span,
                message,
                "the players are A and B, and C and D if something given is theirs",
            );
        }
        found
    }

    fn given(&mut self, name: &Ident, card: &Ident, zone: &Ident, player: &Ident, places: &[Place]) -> Option<Given> {
        if self.vars.iter().any(|v| v.name == name.text) {
            self.error(Code::L202, name.span, format!("two given objects are named `{}`", name.text));
            return None;
        }
        let var = self.bind(name, Ty::Object);
        let card = self.card(card);
        let zone = self.start_zone(zone);
        let owner = self.letter(player);
        let mut made = Given {
            var,
            card: card?,
            zone: zone?,
            owner: owner?,
            controller: owner?,
            face_down: None,
            tapped: false,
            counters: Vec::new(),
        };
        let mut stated = BTreeSet::new();
        for place in places {
            let (what, span) = match place {
                Place::FaceDown(look, _) => ("face_down", look.span),
                Place::Tapped(span) => ("tapped", *span),
                Place::Under(player) => ("under", player.span),
                Place::Counters(_, kind) => (kind.text.as_str(), kind.span),
            };
            if !stated.insert(what) {
                self.error(Code::L202, span, format!("`{what}` stands here twice"));
            }
            match place {
                Place::FaceDown(look, way) => {
                    let profile = self.name_as(&look.text, look.span, Ty::Look);
                    let way = self.name_as(&way.text, way.span, Ty::Way);
                    match (profile, way) {
                        (Some(Expr::Const(Const::Profile(p))), Some(Expr::Const(Const::Way(Some(w))))) => {
                            made.face_down = Some((p, w));
                        }
                        (Some(_), Some(_)) => {
                            self.error(Code::L203, look.span, "it is face down as a profile, by a way");
                        }
                        _ => {}
                    }
                }
                Place::Tapped(_) => made.tapped = true,
                Place::Under(player) => made.controller = self.letter(player).unwrap_or(made.owner),
                Place::Counters(n, kind) => {
                    let fine = self.within(*n, 1, 15, kind.span);
                    if let (Some(Expr::Const(Const::Counter(k))), true) =
                        (self.name_as(&kind.text, kind.span, Ty::Counter), fine)
                    {
                        made.counters.push((k, *n));
                    }
                }
            }
        }
        Some(made)
    }

    fn done(
        &mut self,
        act: &RulingAct,
        paying: Option<&ast::Cost>,
        choosing: &[ast::Expr],
        span: ast::Span,
    ) -> Option<RulingStep> {
        let choices: Vec<Option<Expr>> = choosing.iter().map(|e| self.choice(e)).collect();
        let choices: Option<Vec<Expr>> = choices.into_iter().collect();
        if !matches!(act, RulingAct::Does(..)) && paying.is_some() {
            self.error(Code::L239, span, "only what a player `does` is paid for");
        }
        match act {
            RulingAct::Does(player, call) => {
                let player = self.letter(player);
                let pattern = self.offered(call);
                let paying = self.paying(paying);
                Some(RulingStep::Does { player: player?, pattern: pattern?, paying: paying?, choosing: choices?, span })
            }
            RulingAct::Do(call) => {
                let call = self.call(call);
                Some(RulingStep::Do(call?, choices?, span))
            }
            RulingAct::Resolve => Some(RulingStep::Resolve(choices?, span)),
        }
    }

    /// A choice is an object, a player, or yes and no.
    fn choice(&mut self, e: &ast::Expr) -> Option<Expr> {
        let (choice, ty) = self.infer(e)?;
        if !matches!(ty, Ty::Object | Ty::Player | Ty::Bool) {
            let message = format!("expected an Object, a Player, or yes or no, found {}", super::scope::a_ty(ty));
            self.error(Code::L203, e.span, message);
            return None;
        }
        Some(choice)
    }
}
