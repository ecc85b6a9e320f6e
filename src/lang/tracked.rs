//! What a world's states need to hold: attributes that something reads (MEANING 1). Both engines leave out the rest, so
//! this is the one piece of reasoning about a program that they share.

use super::tree::{
    ArgPattern, Block, CardId, Claim, ClauseId, ClauseKind, Const, Cost, CostExpr, Expr, Field, Head, Layer, Look,
    LookField, ModId, ModKind, Pattern, ProcedureId, Program, Stmt, Target, Verb, WordKind, World,
};

/// What is part of the states of a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tracked {
    /// Who knows which card.
    pub known: bool,
    /// The order of stamps.
    pub stamps: bool,
    /// Under whose control a thing entered.
    pub home: bool,
    /// Damage.
    pub damage: bool,
    /// One bit for each counter kind of the program.
    pub counters: u32,
    /// One bit for each marker and ghost of the program.
    pub markers: u64,
    /// Permanents may merge.
    pub merges: bool,
    /// With which permanent a component left.
    pub left_with: bool,
}

impl Tracked {
    /// All of it.
    pub const ALL: Tracked = Tracked {
        known: true,
        stamps: true,
        home: true,
        damage: true,
        counters: u32::MAX,
        markers: u64::MAX,
        merges: true,
        left_with: true,
    };
}

/// Whether a property speaks of a world.
pub fn speaks_of(program: &Program, property_index: usize, world: usize) -> bool {
    let worlds = &program.properties[property_index].worlds;
    worlds.is_empty() || worlds.contains(&world)
}

/// What the law, or a property that speaks of the world, reads.
pub fn tracked(program: &Program, world: usize) -> Tracked {
    let of = &program.worlds[world];
    let mut law = law_of(program, of, Reach::new(program));
    if !law.quits {
        law = law_of(program, of, Reach { nobody_quits: true, ..Reach::new(program) });
    }

    let mut claims = Reach::new(program);
    for (i, property) in program.properties.iter().enumerate() {
        if speaks_of(program, i, world) {
            claims.claim(&property.claim);
        }
    }
    // A ghost that is read brings in what its own clauses read, perhaps another ghost.
    loop {
        let before = claims.markers;
        for (id, clause) in (0u16..).zip(&program.clauses).map(|(i, c)| (ClauseId(i), c)) {
            let mut markers = (0..64).zip(&program.markers);
            if program.is_ghost(id) && markers.any(|(i, m)| m.rule == clause.rule && claims.markers >> i & 1 == 1) {
                claims.clause(id);
            }
        }
        if claims.markers == before {
            break;
        }
    }
    let ghosts = (0..64).zip(&program.markers).filter(|(_, m)| m.ghost).fold(0u64, |bits, (i, _)| bits | 1 << i);
    let sized =
        (0..32).zip(&program.counters).filter(|(_, c)| c.size != (0, 0)).fold(0u32, |bits, (i, _)| bits | 1 << i);
    Tracked {
        known: law.known || claims.known,
        stamps: law.stamp || claims.stamp || law.statics_hang_on_order(),
        home: claims.home || law.home,
        damage: (law.damage || claims.damage) && law.deals,
        counters: (law.counters_read | claims.counters_read | sized) & law.counters_added,
        markers: (law.markers & !ghosts) | claims.markers,
        merges: law.merges,
        left_with: law.merges && (law.left_with || claims.left_with),
    }
}

/// What the law and the cards of a world can reach.
fn law_of<'p>(program: &'p Program, of: &World, law: Reach<'p>) -> Reach<'p> {
    let mut law = law;
    let all = (0u16..).zip(&program.clauses).map(|(i, c)| (ClauseId(i), c));
    for (id, _) in all.filter(|(id, c)| !c.carried && !program.is_ghost(*id)) {
        law.clause(id);
    }
    for start in &of.starts {
        start.options.iter().for_each(|&c| law.card(c));
    }
    program.profiles.iter().for_each(|p| law.look(&p.look));
    of.allows.iter().for_each(|&(procedure, _)| law.procedure(procedure));
    if let Some(resolve) = program.resolve {
        law.procedure(resolve);
    }
    law
}

/// What can be reached from some clauses, procedures and claims, and what that reads and does.
struct Reach<'p> {
    program: &'p Program,
    /// Leaves out what only happens as a player leaves the game.
    nobody_quits: bool,
    clauses: Vec<bool>,
    procedures: Vec<bool>,
    defines: Vec<bool>,
    costs: Vec<bool>,
    mods: Vec<bool>,
    known: bool,
    stamp: bool,
    home: bool,
    damage: bool,
    deals: bool,
    quits: bool,
    merges: bool,
    left_with: bool,
    statics: Vec<ClauseId>,
    counters_read: u32,
    counters_added: u32,
    markers: u64,
}

/// Marks a place; says whether it was new.
fn enter(seen: &mut [bool], at: usize) -> bool {
    !std::mem::replace(&mut seen[at], true)
}

impl<'p> Reach<'p> {
    fn new(program: &'p Program) -> Reach<'p> {
        Reach {
            program,
            nobody_quits: false,
            clauses: vec![false; program.clauses.len()],
            procedures: vec![false; program.procedures.len()],
            defines: vec![false; program.defines.len()],
            costs: vec![false; program.named_costs.len()],
            mods: vec![false; program.mods.len()],
            known: false,
            stamp: false,
            home: false,
            damage: false,
            deals: false,
            quits: false,
            merges: false,
            left_with: false,
            statics: Vec::new(),
            counters_read: 0,
            counters_added: 0,
            markers: 0,
        }
    }

    fn card(&mut self, card: CardId) {
        let card = &self.program.cards[card.index()];
        self.look(&card.front);
        card.back.iter().for_each(|back| self.look(back));
    }

    fn look(&mut self, look: &Look) {
        look.clauses.iter().for_each(|&c| self.clause(c));
        for (keyword, cost) in &look.keywords {
            self.program.keywords[keyword.index()].carried.iter().for_each(|&c| self.clause(c));
            cost.iter().for_each(|c| self.cost(c));
        }
    }

    fn cost(&mut self, cost: &Cost) {
        for n in &cost.named {
            if enter(&mut self.costs, n.index()) {
                self.block(&self.program.named_costs[n.index()].body);
            }
        }
    }

    fn clause(&mut self, id: ClauseId) {
        if !enter(&mut self.clauses, id.index()) {
            return;
        }
        let kind = &self.program.clauses[id.index()].kind;
        if let ClauseKind::Stage(_, head, ..) | ClauseKind::Forbid(head) = kind
            && self.nobody_quits
            && head.patterns.iter().all(|p| p.verb == Verb::Quit)
        {
            return;
        }
        match kind {
            ClauseKind::Permit { guard, pay, target, body, .. } => {
                self.option(guard.as_ref());
                pay.iter().for_each(|p| self.pay(p));
                self.target(target.as_ref());
                self.block(body);
            }
            ClauseKind::MayLook { guard, .. } => self.option(guard.as_ref()),
            ClauseKind::Forbid(head) => self.head(head),
            ClauseKind::Stage(_, head, target, body) => {
                self.head(head);
                self.target(target.as_ref());
                self.block(body);
            }
            ClauseKind::Check(_, guard, body) => {
                self.expr(guard);
                self.block(body);
            }
            ClauseKind::Price(head, _, cost) => {
                self.head(head);
                self.pay(cost);
            }
            ClauseKind::Static(_, guard, mods) => {
                self.statics.push(id);
                self.option(guard.as_ref());
                mods.iter().for_each(|&m| self.modification(m));
            }
            ClauseKind::Spell(guard, target, body) => {
                self.option(guard.as_ref());
                self.target(target.as_ref());
                self.block(body);
            }
        }
    }

    fn procedure(&mut self, id: ProcedureId) {
        if enter(&mut self.procedures, id.index()) {
            self.block(&self.program.procedures[id.index()].body);
        }
    }

    fn claim(&mut self, claim: &Claim) {
        match claim {
            Claim::Always(e) | Claim::PossibleState(e) | Claim::Blind(e) => self.expr(e),
            Claim::Whenever(head, e) => {
                self.head(head);
                self.expr(e);
            }
            Claim::PossibleEvent(head) => self.head(head),
        }
    }

    /// Whether the order of the sources of statics can matter: two clauses work in one layer; one sets a size that may
    /// differ from source to source; or its guard asks about what its own layer changes. (Else every source of one clause
    /// does the same, and sources are seen below the layer.)
    fn statics_hang_on_order(&self) -> bool {
        let mut layers = 0u16;
        for id in &self.statics {
            let ClauseKind::Static(_, guard, mods) = &self.program.clauses[id.index()].kind else { continue };
            let mods = mods.iter().map(|m| &self.program.mods[m.index()]);
            let fixed = |e: &Expr| matches!(e, Expr::Const(_));
            if mods.clone().any(|m| matches!(&m.kind, ModKind::Sized(p, t) if !fixed(p) || !fixed(t))) {
                return true;
            }
            let mine = mods.fold(0u16, |bits, m| bits | 1 << m.layer as u16);
            let asked = guard.as_ref().map_or(0, |g| self.layers_asked(g, 0));
            if layers & mine != 0 || asked & mine != 0 {
                return true;
            }
            layers |= mine;
        }
        false
    }

    /// The layers whose work an expression asks about, a bit each.
    fn layers_asked(&self, e: &Expr, depth: usize) -> u16 {
        const ALL: u16 = u16::MAX;
        let bit = |layer: Layer| 1u16 << layer as u16;
        let all = |list: &[Expr]| list.iter().fold(0, |bits, e| bits | self.layers_asked(e, depth));
        match e {
            Expr::Is(look, words) if matches!(**look, Expr::Plain(_)) => words.iter().fold(0, |bits, w| {
                let colour = self.program.words[w.index()].kind == WordKind::Colour;
                bits | bit(if colour { Layer::Coloured } else { Layer::Typed })
            }),
            Expr::Has(look, _) if matches!(**look, Expr::Plain(_)) => bit(Layer::Granted),
            Expr::Look(look, field) if matches!(**look, Expr::Plain(_)) => match field {
                LookField::Power | LookField::Toughness => bit(Layer::Sized),
                LookField::Toll(_) => bit(Layer::Granted),
                LookField::Name | LookField::ManaCost => 0,
            },
            Expr::And(list) | Expr::Or(list) => all(list),
            Expr::Not(a) | Expr::Function(_, a) => self.layers_asked(a, depth),
            Expr::Cmp(_, a, b) => self.layers_asked(a, depth) | self.layers_asked(b, depth),
            Expr::Quant { filter, body, .. } => {
                self.layers_asked(filter, depth) | body.as_ref().map_or(0, |b| self.layers_asked(b, depth))
            }
            Expr::Define(d, args) if depth < 32 => {
                all(args) | self.layers_asked(&self.program.defines[d.index()].body, depth + 1)
            }
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Active
            | Expr::Field(..)
            | Expr::Counters(..)
            | Expr::KnownTo(..)
            | Expr::AimsAt(..)
            | Expr::Marker(..)
            | Expr::InGame(_)
            | Expr::In(..) => 0,
            _ => ALL,
        }
    }

    fn modification(&mut self, id: ModId) {
        if !enter(&mut self.mods, id.index()) {
            return;
        }
        match &self.program.mods[id.index()].kind {
            ModKind::Has(keyword, cost) => {
                self.program.keywords[keyword.index()].carried.iter().for_each(|&c| self.clause(c));
                cost.iter().for_each(|c| self.cost(c));
            }
            ModKind::Sized(power, toughness) => {
                self.expr(power);
                self.expr(toughness);
            }
            ModKind::LosesAbilities | ModKind::IsAlso(_) | ModKind::Becomes(_) | ModKind::Gets(..) => {}
        }
    }

    fn option(&mut self, e: Option<&Expr>) {
        e.into_iter().for_each(|e| self.expr(e));
    }
    fn target(&mut self, t: Option<&Target>) {
        self.option(t.map(|t| &t.filter));
    }
    fn pay(&mut self, pay: &CostExpr) {
        pay.parts.iter().for_each(|e| self.expr(e));
    }

    fn head(&mut self, head: &Head) {
        head.patterns.iter().for_each(|p| self.pattern(p));
        self.option(head.guard.as_ref());
    }

    fn pattern(&mut self, p: &Pattern) {
        for a in &p.args {
            if let ArgPattern::Is(e) = a {
                self.expr(e);
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Call(call, then, otherwise) => {
                call.args.iter().flatten().for_each(|e| self.expr(e));
                match call.verb {
                    Verb::Procedure(p) => self.procedure(p),
                    Verb::Deal => self.deals = true,
                    Verb::Quit => self.quits = true,
                    Verb::Merge => self.merges = true,
                    Verb::AddCounter => self.counters_added |= kinds(call.args.get(1).and_then(Option::as_ref)),
                    _ => {}
                }
                self.block(then);
                self.block(otherwise);
            }
            Stmt::Choose { by, among, filter, body, .. } => {
                self.expr(by);
                among.iter().for_each(|e| self.expr(e));
                self.option(filter.as_ref());
                self.block(body);
            }
            Stmt::Each { among, filter, body, .. } => {
                among.iter().for_each(|e| self.expr(e));
                self.option(filter.as_ref());
                self.block(body);
            }
            Stmt::If(e, a, b) | Stmt::May(e, a, b) => {
                self.expr(e);
                self.block(a);
                self.block(b);
            }
            Stmt::Let(_, e) => self.expr(e),
            Stmt::Give(o, mods, _) => {
                self.expr(o);
                mods.iter().for_each(|&m| self.modification(m));
            }
            Stmt::Set(_, of, e) => {
                self.expr(of);
                self.expr(e);
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Const(Const::Cost(Some(cost))) => self.cost(cost),
            Expr::Const(_) | Expr::Var(_) | Expr::Active => {}
            Expr::And(all) | Expr::Or(all) => all.iter().for_each(|e| self.expr(e)),
            Expr::Cmp(_, a, b) | Expr::AimsAt(a, b) | Expr::MayLook(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::KnownTo(a, b) => {
                self.known = true;
                self.expr(a);
                self.expr(b);
            }
            Expr::Counters(o, kind) => {
                self.counters_read |= kinds(Some(kind));
                self.expr(o);
                self.expr(kind);
            }
            Expr::Quant { filter, body, .. } => {
                self.expr(filter);
                self.option(body.as_deref());
            }
            Expr::Field(o, field) => {
                match field {
                    Field::Stamp => self.stamp = true,
                    Field::Home => self.home = true,
                    Field::LeftWith => self.left_with = true,
                    Field::Damage => self.damage = true,
                    _ => {}
                }
                self.expr(o);
            }
            Expr::Marker(m, of) => {
                self.markers |= 1 << m.0;
                self.expr(of);
            }
            Expr::But(l, m) => {
                self.modification(*m);
                self.expr(l);
            }
            Expr::Define(d, args) => {
                args.iter().for_each(|e| self.expr(e));
                if enter(&mut self.defines, d.index()) {
                    self.expr(&self.program.defines[d.index()].body);
                }
            }
            Expr::Not(e)
            | Expr::Watches(e, _)
            | Expr::InGame(e)
            | Expr::View(e, _)
            | Expr::Plain(e)
            | Expr::Look(e, _)
            | Expr::Is(e, _)
            | Expr::Has(e, _)
            | Expr::In(e, _)
            | Expr::Function(_, e)
            | Expr::Was(e)
            | Expr::Ends(e) => {
                self.expr(e);
            }
            Expr::Happens(p) => self.pattern(p),
            Expr::Offer(offer) => {
                self.expr(&offer.player);
                self.pattern(&offer.pattern);
                offer.paying.iter().for_each(|p| self.pay(p));
            }
        }
    }
}

/// The counter kinds that an expression may mean: one, or any.
fn kinds(e: Option<&Expr>) -> u32 {
    match e {
        Some(Expr::Const(Const::Counter(c))) => 1 << c.0,
        _ => u32::MAX,
    }
}
