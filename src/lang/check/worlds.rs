//! Worlds: players, deals, allowed procedures, budgets and caps.

use std::collections::BTreeSet;

use super::collect::Items;
use super::law::{card_code, is_allowed_shape, leave_out, left_out};
use super::scope::{Callable, Env, Finding, Scope, Where, suggest};
use crate::lang::ast::{self, Ident, Span, WorldLine};
use crate::lang::diag::Code;
use crate::lang::tree::{CardId, Limits, ProcedureId, Start, Verb, World, Zone};

/// The most card slots and token slots of a world.
pub(super) const SLOTS_MAX: usize = 16;
/// The most players of a world.
const PLAYERS_MAX: usize = 4;
/// The most mana that a player of a world has.
const MANA_MAX: i32 = 99;
/// The most states in which a world begins.
const DEALS_MAX: u64 = 100_000;

/// Checks all worlds.
pub(super) fn check(items: &Items, env: &mut Env, findings: &mut Vec<Finding>) {
    for world in &items.worlds {
        let mut dropped = Vec::new();
        let mut scope = Scope::new(env, Where::Law);
        let made = scope.world(world, &mut dropped);
        let own = std::mem::take(&mut scope.findings);
        if let Some(why) = left_out(&own) {
            leave_out(env, "world", &world.name, why);
            continue;
        }
        findings.extend(own);
        env.program.left_out.extend(dropped);
        env.program.worlds.push(made);
    }
}

impl Scope<'_> {
    fn world(&mut self, world: &ast::World, dropped: &mut Vec<(String, String, String)>) -> World {
        let players = self.players(world);
        let mut made = World {
            name: world.name.text.clone(),
            title: world.title.as_ref().map_or_else(String::new, |t| t.text.clone()),
            players: players.iter().map(|p| p.text.clone()).collect(),
            starts: Vec::new(),
            allows: Vec::new(),
            mana: None,
            limits: Limits { stack_budget: 1, tokens_budget: 0, counters_budget: 2, stack_cap: 4 },
            span: world.name.span,
        };
        let mut cap = None;
        let mut stated = BTreeSet::new();
        for line in &world.lines {
            match line {
                WorldLine::Players(_) => {}
                WorldLine::Start(player, zone, deals) => {
                    let player = self.player(player, &players);
                    let zone = self.start_zone(zone);
                    for deal in deals {
                        let options = self.options(&deal.options);
                        let fine = self.within(deal.count, 1, 16, deal.span);
                        if let (Some(player), Some(zone), Some(options), true) = (player, zone, options, fine) {
                            let count = u8::try_from(deal.count).unwrap_or(u8::MAX);
                            made.starts.push(Start { player, zone, count, options });
                        }
                    }
                }
                WorldLine::Allow(names, by) => self.allow(world, names, by, &players, &mut made, dropped),
                WorldLine::Mana(given) => {
                    let n = given.map(|(n, _)| n);
                    if !stated.insert("mana".to_string()) {
                        self.error(Code::L202, world.name.span, "the mana of this world is stated twice");
                    }
                    if n.is_some_and(|n| !(0..=MANA_MAX).contains(&n)) {
                        self.error(
                            Code::L238,
                            world.name.span,
                            format!("the mana of a world is not between 0 and {MANA_MAX}"),
                        );
                    }
                    made.mana = n;
                }
                WorldLine::Budget(list) => {
                    for (name, n) in list {
                        self.stated_once("budget", name, &mut stated);
                        self.budget(name, *n, &mut made.limits);
                    }
                }
                WorldLine::Cap(list) => {
                    for (name, n) in list {
                        self.stated_once("cap", name, &mut stated);
                        if name.text == "stack" {
                            self.within(*n, 1, 15, name.span);
                            cap = Some(u8::try_from(*n).unwrap_or(u8::MAX));
                        } else {
                            let help = "a cap is of `stack`; `tokens` and `counters` have a budget";
                            self.helped(Code::L239, name.span, format!("there is no cap of `{}`", name.text), help);
                        }
                    }
                }
            }
        }
        made.limits.stack_cap = cap.unwrap_or(made.limits.stack_budget.saturating_add(3));
        if made.limits.stack_cap < made.limits.stack_budget {
            self.error(Code::L238, world.name.span, "the cap of the stack is below its budget");
        }
        let cards: usize = made.starts.iter().map(|s| usize::from(s.count)).sum();
        let slots = cards + usize::from(made.limits.tokens_budget);
        if slots > SLOTS_MAX {
            let message = format!("the world has {slots} slots of cards and tokens, the limit is {SLOTS_MAX}");
            self.error(Code::L302, world.name.span, message);
        }
        let deals = made.starts.iter().fold(1, |all: u64, start| all.saturating_mul(deals(start)));
        if deals > DEALS_MAX {
            let help = "name fewer cards after `any`, or write several worlds";
            let message = format!("the world begins in more states than the limit {DEALS_MAX}");
            self.helped(Code::L302, world.name.span, message, help);
        }
        made.allows.sort();
        made
    }

    fn stated_once(&mut self, what: &str, name: &Ident, stated: &mut BTreeSet<String>) {
        if !stated.insert(format!("{what} {}", name.text)) {
            self.error(Code::L202, name.span, format!("the {what} of `{}` is stated twice", name.text));
        }
    }

    /// A zone in which a card may be at the start, of a world or of a ruling.
    pub(super) fn start_zone(&mut self, name: &Ident) -> Option<Zone> {
        let zone = self.zone(name)?;
        if matches!(zone, Zone::Stack | Zone::Beneath) {
            let help = "start it in hand, library, battlefield, graveyard, exile, phased or outside";
            self.helped(Code::L239, name.span, format!("nothing starts in the zone `{}`", name.text), help);
            return None;
        }
        Some(zone)
    }

    fn players<'a>(&mut self, world: &'a ast::World) -> Vec<&'a Ident> {
        let mut players: Vec<&Ident> = Vec::new();
        for line in &world.lines {
            let WorldLine::Players(names) = line else { continue };
            for name in names {
                if players.iter().any(|p| p.text == name.text) {
                    self.error(Code::L202, name.span, format!("two players are named `{}`", name.text));
                } else {
                    players.push(name);
                }
            }
        }
        if players.is_empty() {
            self.helped(Code::L239, world.name.span, "a world needs players", "write `players A, B`");
        }
        if let Some(name) = players.get(PLAYERS_MAX) {
            self.error(Code::L302, name.span, format!("a world has at most {PLAYERS_MAX} players"));
        }
        players
    }

    fn player(&mut self, name: &Ident, players: &[&Ident]) -> Option<u8> {
        let place = players.iter().position(|p| p.text == name.text);
        if place.is_none() {
            let help = suggest(&name.text, players.iter().map(|p| p.text.as_str()));
            let message = format!("the world has no player `{}`", name.text);
            self.findings.push(Finding::helped(Code::L201, name.span, message, help));
        }
        place.and_then(|p| u8::try_from(p).ok())
    }

    fn options(&mut self, names: &[Ident]) -> Option<Vec<CardId>> {
        let mut list = Vec::new();
        let mut fine = true;
        for name in names {
            if name.text == "archetypes" {
                let all = self.env.program.cards.iter().filter(|c| c.archetype);
                list.extend(all.filter_map(|c| self.env.cards.get(&c.name)));
                if list.is_empty() {
                    self.error(Code::L217, name.span, "no archetype is declared");
                    fine = false;
                }
            } else {
                match self.card(name) {
                    Some(id) => list.push(id),
                    None => fine = false,
                }
            }
        }
        list.sort();
        list.dedup();
        fine.then_some(list)
    }

    /// A card or archetype.
    pub(super) fn card(&mut self, name: &Ident) -> Option<CardId> {
        let found = self.env.cards.get(&name.text).copied();
        if found.is_none() {
            let env = self.env;
            let pool: Vec<&str> = env.cards.keys().map(String::as_str).collect();
            let code = card_code(&name.text);
            let what = if code == Code::L217 { "an archetype" } else { "a card" };
            self.unknown(code, &name.text, name.span, format!("{what} `{}` is not there", name.text), &pool);
        }
        found
    }

    fn allow(
        &mut self,
        world: &ast::World,
        names: &[Ident],
        by: &[Ident],
        players: &[&Ident],
        made: &mut World,
        dropped: &mut Vec<(String, String, String)>,
    ) {
        let who: BTreeSet<u8> = if by.is_empty() {
            (0..players.len()).filter_map(|i| u8::try_from(i).ok()).collect()
        } else {
            by.iter().filter_map(|p| self.player(p, players)).collect()
        };
        for name in names {
            let Some(Callable::Verb(verb)) = self.env.callables.get(&name.text).copied() else {
                if let Some(why) = self.env.dormant.get(&name.text) {
                    dropped.push(("allow".into(), format!("{}: {}", world.name.text, name.text), why.clone()));
                } else {
                    let env = self.env;
                    let pool: Vec<&str> = env.program.procedures.iter().map(|p| p.name.as_str()).collect();
                    self.unknown(
                        Code::L201,
                        &name.text,
                        name.span,
                        format!("no procedure is named `{}`", name.text),
                        &pool,
                    );
                }
                continue;
            };
            match verb {
                Verb::Procedure(id) if is_allowed_shape(self.env, verb) => merge(&mut made.allows, id, &who),
                _ => {
                    let message =
                        format!("a world can't allow `{}`: it has not the one parameter `by p: Player`", name.text);
                    self.error(Code::L232, name.span, message);
                }
            }
        }
    }

    fn budget(&mut self, name: &Ident, n: i32, limits: &mut Limits) {
        let value = u8::try_from(n).unwrap_or(u8::MAX);
        let most = match name.text.as_str() {
            "stack" => {
                limits.stack_budget = value;
                12
            }
            "tokens" => {
                limits.tokens_budget = value;
                15
            }
            "counters" => {
                limits.counters_budget = value;
                15
            }
            other => {
                let message = format!("there is no budget of `{other}`");
                self.helped(Code::L239, name.span, message, "budgets are of `stack`, `tokens` and `counters`");
                return;
            }
        };
        self.within(n, i32::from(name.text == "stack"), most, name.span);
    }

    /// Whether the law has what playing needs; else that is an error at this place.
    pub(super) fn law_is_playable(&mut self, span: Span) {
        if self.env.program.resolve.is_none() {
            self.error(Code::L237, span, "playing needs the procedure `resolve(s: Object)`, which no rule defines");
        }
        if self.env.program.now.is_none() {
            self.error(Code::L237, span, "playing needs the view `now`, which no rule defines");
        }
    }
}

/// In how many ways a line can be dealt: tuples with repetition for a library, else multisets.
fn deals(start: &Start) -> u64 {
    let (options, count) = (start.options.len() as u64, u64::from(start.count));
    if start.zone == Zone::Library {
        return options.saturating_pow(u32::from(start.count));
    }
    // Each partial product is a number of multisets too, so that the divisions leave nothing over.
    (1..=count).fold(1, |ways: u64, i| ways.saturating_mul(options + i - 1) / i)
}

fn merge(allows: &mut Vec<(ProcedureId, Vec<u8>)>, id: ProcedureId, who: &BTreeSet<u8>) {
    match allows.iter_mut().find(|a| a.0 == id) {
        Some((_, known)) => {
            let both: BTreeSet<u8> = known.iter().copied().chain(who.iter().copied()).collect();
            *known = both.into_iter().collect();
        }
        None => allows.push((id, who.iter().copied().collect())),
    }
}
