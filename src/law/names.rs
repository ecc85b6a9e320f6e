//! Names for people, and the content of a state as one comparable value that does not depend on any numbering.

use super::eval::Happening;
use super::ground::Law;
use super::step::{Label, Outcome};
use super::verbs::Choice;
use crate::game::record::{CostId, EntryKind, LookId, NO_OBJECT, Obj, SlotRec, State, Value};
use crate::lang::tree::{
    CardId, ClauseId, Cost, Duration, EventName, Layer, Look, Mana, ModId, Place, Program, Verb, WayId, Zone,
};
use std::fmt::Write;

/// Everything that a state is, with looks and costs spelt out.
pub fn content(law: &Law, st: &State) -> String {
    let mut text = String::new();
    for rec in &st.slots {
        let look = |l: LookId| law.looks.get(l);
        let copies: Vec<_> = rec.copies.iter().map(|(l, d)| (look(*l), *d)).collect();
        let _ = write!(text, "{:?}", (rec.zone, rec.card, look(rec.printed), rec.owner, rec.controller, rec.home));
        let _ = write!(text, "{:?}", (rec.face_down, rec.way, look(rec.listed), rec.tapped, rec.transformed));
        let _ = write!(text, "{:?}", (look(rec.back), &rec.parts, rec.left_with));
        let _ = write!(text, "{:?}", (rec.damage, rec.host, copies, &rec.gives, &rec.counters, rec.known, rec.marks));
    }
    let _ = write!(text, "{:?}{:?}{:?}", st.players, st.table, st.stamps);
    for entry in st.stack.iter() {
        match &entry.what {
            EntryKind::Ability { clause, source, you, vars } => {
                let vars: Vec<String> = vars.iter().map(|v| value(law, st, *v)).collect();
                let _ = write!(text, "{:?}", (clause, source, you, vars, entry.aims, entry.targeted));
            }
            other => {
                let _ = write!(text, "{:?}", (other, entry.aims, entry.targeted));
            }
        }
    }
    text
}

/// A player's name.
pub fn player(law: &Law, p: u8) -> String {
    law.setting.players.get(usize::from(p)).cloned().unwrap_or_else(|| "nobody".into())
}

/// The name of a card.
pub fn card(program: &Program, c: CardId) -> &str {
    &program.cards[c.index()].name
}

/// An object's name: its card's, numbered if several slots hold that card; a token by its slot.
pub fn object(law: &Law, st: &State, o: Obj) -> String {
    let slot = usize::from(o);
    let Some(rec) = st.slots.get(slot) else {
        if o == NO_OBJECT {
            return "nothing".into();
        }
        return match st.stack.get(slot - st.slots.len()).map(|e| &e.what) {
            Some(EntryKind::Ability { source, .. }) if usize::from(*source) < st.slots.len() => {
                format!("ability of {}", object(law, st, *source))
            }
            _ => "ability".into(),
        };
    };
    match rec.card {
        None => format!("token {}", slot + 1 - law.setting.cards),
        Some(c) => {
            let before = st.slots[..slot].iter().filter(|r| r.card == Some(c)).count();
            let all = st.slots.iter().filter(|r| r.card == Some(c)).count();
            let name = card(law.program, c);
            if all > 1 { format!("{name} {}", before + 1) } else { name.to_string() }
        }
    }
}

/// An amount of mana in symbols.
pub fn mana(m: &Mana) -> String {
    let mut text = "{X}".repeat(usize::from(m.x));
    if m.generic > 0 || (m.value() == 0 && m.x == 0) {
        let _ = write!(text, "{{{}}}", m.generic);
    }
    for (n, c) in m.symbols.iter().zip(["W", "U", "B", "R", "G", "C"]) {
        text.push_str(&format!("{{{c}}}").repeat(usize::from(*n)));
    }
    text
}

/// A cost.
pub fn cost(program: &Program, c: &Cost) -> String {
    let mut parts: Vec<String> = Vec::new();
    if c.mana != Mana::default() || c.named.is_empty() {
        parts.push(mana(&c.mana));
    }
    parts.extend(c.named.iter().map(|n| program.named_costs[n.index()].name.clone()));
    parts.join(" + ")
}

/// A cost by number.
pub fn cost_of(law: &Law, c: CostId) -> String {
    cost(law.program, &law.looks.get_cost(c))
}

/// A look in a few words: name, words, size and keywords.
pub fn look(program: &Program, l: &Look) -> String {
    let mut parts: Vec<String> = Vec::new();
    if let Some(n) = l.name {
        parts.push(program.names[n.index()].clone());
    }
    parts.extend(program.words.iter().enumerate().filter(|(i, _)| l.words >> i & 1 == 1).map(|(_, w)| w.name.clone()));
    if let Some((p, t)) = l.size {
        parts.push(format!("{p}/{t}"));
    }
    for (k, c) in &l.keywords {
        let name = &program.keywords[k.index()].name;
        parts.push(c.as_ref().map_or_else(|| name.clone(), |c| format!("{name}({})", cost(program, c))));
    }
    if parts.is_empty() { "nothing at all".into() } else { parts.join(" ") }
}

/// A way up or down.
pub fn way(program: &Program, w: Option<WayId>) -> &str {
    w.and_then(|w| program.ways.get(w.index())).map_or("none", String::as_str)
}

/// The name of a verb.
pub fn verb(program: &Program, v: Verb) -> String {
    match v {
        Verb::Procedure(p) => program.procedures[p.index()].name.clone(),
        other => Verb::BUILT_IN.iter().find(|(_, b)| *b == other).map_or(String::new(), |(n, _)| (*n).to_string()),
    }
}

/// The name of an event.
pub fn event(program: &Program, e: EventName) -> String {
    match e {
        EventName::Verb(v) => verb(program, v),
        EventName::Named(n) => program.events[n.index()].name.clone(),
    }
}

/// A value.
pub fn value(law: &Law, st: &State, v: Value) -> String {
    let program = law.program;
    match v {
        Value::Bool(b) => if b { "yes" } else { "no" }.into(),
        Value::Number(n) => n.to_string(),
        Value::Player(p) => player(law, p),
        Value::Object(o) => object(law, st, o),
        Value::Look(l) => look(program, &law.looks.get(l)),
        Value::Cost(c) => c.map_or_else(|| "none".into(), |c| cost_of(law, c)),
        Value::Name(n) => n.map_or_else(|| "none".into(), |n| program.names[n.index()].clone()),
        Value::Way(w) => way(program, w).into(),
        Value::Zone(z) => z.name().into(),
        Value::Duration(d) => duration(d).into(),
        Value::Place(p) => if p == Place::OnTop { "on_top" } else { "at_bottom" }.into(),
        Value::Counter(k) => program.counters[k.index()].name.clone(),
        Value::Event(e) => event(program, e),
    }
}

fn duration(d: Duration) -> &'static str {
    match d {
        Duration::Forever => "forever",
        Duration::EndOfTurn => "end_of_turn",
        Duration::TurnedDown => "turned_down",
    }
}

/// Whether an object is face down: a merged permanent, if its topmost component lies so.
fn shows_down(st: &State, rec: &SlotRec) -> bool {
    let there = matches!(rec.zone, Some(Zone::Battlefield | Zone::Phased));
    rec.parts.first().filter(|_| there).map_or(rec.face_down, |top| st.slots[usize::from(*top)].face_down)
}

/// What a modification does, in a few words.
pub fn modification(program: &Program, m: ModId) -> String {
    use crate::lang::tree::ModKind;
    match &program.mods[m.index()].kind {
        ModKind::Has(k, c) => {
            let name = &program.keywords[k.index()].name;
            c.as_ref().map_or_else(|| format!("has {name}"), |c| format!("has {name}({})", cost(program, c)))
        }
        ModKind::LosesAbilities if program.mods[m.index()].layer == Layer::Typed => "loses text".into(),
        ModKind::LosesAbilities => "loses abilities".into(),
        ModKind::IsAlso(w) => format!("is {}", program.words[w.index()].name),
        ModKind::Becomes(list) => {
            let words: Vec<&str> = list.iter().map(|w| program.words[w.index()].name.as_str()).collect();
            format!("becomes {}", words.join(" "))
        }
        ModKind::Gets(p, t) => format!("gets {p:+}/{t:+}"),
        ModKind::Sized(..) => "has another size".into(),
    }
}

/// Something that happened, as a call.
pub fn happening(law: &Law, h: &Happening) -> String {
    let args: Vec<String> = h
        .args
        .iter()
        .enumerate()
        .filter(|(i, v)| *i == 0 || **v != Value::Object(NO_OBJECT))
        .map(|(_, v)| value(law, &h.after, *v))
        .collect();
    format!("{}({})", verb(law.program, h.verb), args.join(", "))
}

/// Who acts in a step.
pub fn actor(law: &Law, label: Label) -> Option<String> {
    match label {
        Label::Resolve => None,
        Label::Effect(_, p) | Label::Offer(_, p, ..) => Some(player(law, p)),
    }
}

/// What is done in a step.
pub fn action(law: &Law, st: &State, label: Label) -> String {
    match label {
        Label::Resolve => format!("resolve {}", object(law, st, st.top_of_stack())),
        Label::Effect(p, _) => law.program.procedures[p.index()].name.clone(),
        Label::Offer(c, _, o, _) => {
            let clause = &law.program.clauses[c.index()];
            let rule = &law.program.rules[clause.rule.index()];
            format!("{} {}", offered_verb(law.program, c).unwrap_or_else(|| rule.name.clone()), object(law, st, o))
        }
    }
}

/// The first call of an offer's body, with its way if it names one.
fn offered_verb(program: &Program, c: ClauseId) -> Option<String> {
    use crate::lang::tree::{ClauseKind, Const, Expr, Stmt};
    let ClauseKind::Permit { body, ability, .. } = &program.clauses[c.index()].kind else { return None };
    if *ability {
        return Some("activate".into());
    }
    let Some(Stmt::Call(call, ..)) = body.stmts.first() else { return None };
    let way = call.args.iter().flatten().find_map(|a| match a {
        Expr::Const(Const::Way(Some(w))) => Some(program.ways[w.index()].clone()),
        _ => None,
    });
    let name = verb(program, call.verb);
    Some(way.map_or_else(|| name.clone(), |w| format!("{name} ({w})")))
}

/// A choice.
pub fn choice(law: &Law, st: &State, c: &Choice) -> String {
    match c {
        Choice::Object(o) => object(law, st, *o),
        Choice::May(b) => if *b { "yes" } else { "no" }.into(),
        Choice::Order(n) => format!("order {n}"),
    }
}

/// A step in one line, which tells it from every other step of the same state and does not change with numberings.
pub fn replay_line(law: &Law, st: &State, outcome: &Outcome) -> String {
    let mut text = match outcome.label {
        Label::Resolve => "resolve".to_string(),
        Label::Effect(p, by) => format!("effect {} {}", law.program.procedures[p.index()].name, player(law, by)),
        Label::Offer(c, p, o, cost) => {
            let clause = &law.program.clauses[c.index()];
            let rule = &law.program.rules[clause.rule.index()];
            let first = law.program.clauses.iter().position(|x| x.rule == clause.rule).unwrap_or(0);
            format!(
                "offer {}#{} {} on {} for {}",
                rule.name,
                c.index() - first + 1,
                player(law, p),
                object(law, st, o),
                cost_of(law, cost)
            )
        }
    };
    for c in &outcome.choices {
        let _ = write!(text, ", {}", choice(law, st, c));
    }
    text
}

/// What differs between two states, one short sentence each.
pub fn changes(law: &Law, before: &State, after: &State) -> Vec<String> {
    let program = law.program;
    let mut list = Vec::new();
    for (i, (a, b)) in before.slots.iter().zip(&after.slots).enumerate() {
        if a == b {
            continue;
        }
        let st = if b.zone.is_some() { after } else { before };
        let name = object(law, st, i as Obj);
        let mut say = |what: String| list.push(format!("{name}: {what}"));
        let place = |z: Option<Zone>| z.map_or("nowhere", Zone::name);
        if a.zone != b.zone {
            say(format!("{} -> {}", place(a.zone), place(b.zone)));
        }
        if a.face_down != b.face_down {
            let down = format!("face down as {} ({})", look(program, &law.looks.get(b.listed)), way(program, b.way));
            say(if b.face_down { down } else { "face up".into() });
        } else if a.listed != b.listed || a.way != b.way {
            say(format!("looks as {} ({})", look(program, &law.looks.get(b.listed)), way(program, b.way)));
        }
        if a.face_down == b.face_down && shows_down(before, a) != shows_down(after, b) {
            say(if shows_down(after, b) { "the permanent is face down" } else { "the permanent is face up" }.into());
        }
        if a.parts != b.parts {
            let names: Vec<String> = b.parts.iter().map(|c| object(law, after, *c)).collect();
            let what =
                if names.is_empty() { "no longer merged".into() } else { format!("merged: {}", names.join(" over ")) };
            say(what);
        }
        if a.controller != b.controller {
            say(format!("controlled by {}", player(law, b.controller)));
        }
        if a.tapped != b.tapped {
            say(if b.tapped { "tapped" } else { "untapped" }.into());
        }
        if a.transformed != b.transformed {
            say(if b.transformed { "back face" } else { "front face" }.into());
        }
        if a.damage != b.damage {
            say(format!("damage {}", b.damage));
        }
        if a.host != b.host {
            say(format!("attached to {}", object(law, after, b.host)));
        }
        if a.copies != b.copies {
            let what = b.copies.last().map_or_else(
                || "copies nothing".into(),
                |(l, d)| format!("copy of {} ({})", look(program, &law.looks.get(*l)), duration(*d)),
            );
            say(what);
        }
        if a.gives != b.gives {
            let what: Vec<String> = b.gives.iter().map(|(m, _)| modification(program, *m)).collect();
            say(if what.is_empty() { "effects end".into() } else { what.join(", ") });
        }
        for (k, (x, y)) in a.counters.iter().zip(&b.counters).enumerate() {
            if x != y {
                say(format!("{} {} counters", y, program.counters[k].name));
            }
        }
        for p in 0..law.setting.players.len() as u8 {
            if a.known >> p & 1 != b.known >> p & 1 {
                say(format!("{} {}", if b.known >> p & 1 == 1 { "known to" } else { "forgotten by" }, player(law, p)));
            }
        }
    }
    for (p, (a, b)) in before.players.iter().zip(&after.players).enumerate() {
        let name = player(law, p as u8);
        if a.library != b.library {
            let cards: Vec<String> = b.library.iter().map(|o| object(law, after, *o)).collect();
            list.push(format!(
                "library of {name}: {}",
                if cards.is_empty() { "empty".into() } else { cards.join(", ") }
            ));
        }
        if a.in_game != b.in_game {
            list.push(format!("{name} has left the game"));
        }
        if a.mana != b.mana {
            list.push(format!("{name} has {} mana left", b.mana.unwrap_or(0)));
        }
    }
    if before.stack != after.stack {
        let entries: Vec<String> = (0..after.stack.len()).map(|i| object(law, after, after.object_at(i))).collect();
        list.push(format!("stack: {}", if entries.is_empty() { "empty".into() } else { entries.join(", ") }));
    }
    if before.table.active != after.table.active {
        list.push(format!("turn of {}", player(law, after.table.active)));
    }
    if after.table.over && !before.table.over {
        list.push("the game is over".into());
    }
    list
}
