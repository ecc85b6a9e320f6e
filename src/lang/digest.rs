//! A number for what happens in a step, the same on every machine, for every order of files and for every engine: the sum
//! of it over all steps of a world changes when the law does something else there. Both engines put their own events into
//! these words; what they share is only how a word is written. It is a checksum against mistakes, not against malice.

use super::tree::{Cost, CounterId, Duration, EventName, Look, Mana, NameId, Place, Program, Verb, WayId, Zone};
use sha2::{Digest as _, Sha256};
use std::fmt::Write;

/// A value of an event. Objects on the stack have no place in it, for engines count them differently.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Word<'a> {
    Bool(bool),
    Number(i32),
    Player(u8),
    Slot(u8),
    Ability,
    Look(&'a Look),
    Cost(&'a Cost),
    Name(NameId),
    Way(WayId),
    Zone(Zone),
    Duration(Duration),
    Place(Place),
    Counter(CounterId),
    Event(EventName),
}

/// What is done in a step.
#[derive(Clone, Copy, Debug)]
pub enum Deed<'a> {
    /// The top of the stack resolves.
    Resolve,
    /// A player has an effect of the world.
    Effect(&'a str, u8),
    /// A player takes an offer on an object for a cost.
    Offer(u8, Word<'a>, &'a Cost),
}

/// The events of one step as a number: which they are and how often, not in which order.
pub struct Step<'p> {
    program: &'p Program,
    deed: u64,
    events: u64,
}

impl<'p> Step<'p> {
    /// A step without events.
    pub fn new(program: &'p Program, deed: Deed) -> Step<'p> {
        let text = match deed {
            Deed::Resolve => "resolve".to_owned(),
            Deed::Effect(name, by) => format!("effect {name} {by}"),
            Deed::Offer(by, object, cost) => {
                format!("offer {by} {} {}", word(program, object), word(program, Word::Cost(cost)))
            }
        };
        Step { program, deed: of_text(&text), events: 0 }
    }

    /// One event more: a verb, and its arguments that are something, each with its place.
    pub fn event<'a>(&mut self, verb: Verb, args: impl Iterator<Item = (usize, Word<'a>)>) {
        let mut text = event_name(self.program, EventName::Verb(verb));
        for (place, arg) in args {
            let _ = write!(text, " {place}={}", word(self.program, arg));
        }
        self.events = self.events.wrapping_add(of_text(&text));
    }

    /// The number.
    pub fn number(&self) -> u64 {
        of_text(&format!("{:016x}{:016x}", self.deed, self.events))
    }
}

/// The first eight bytes of a text's SHA-256, as a number.
pub fn of_text(text: &str) -> u64 {
    let bytes = Sha256::digest(text.as_bytes());
    bytes.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn word(program: &Program, word: Word) -> String {
    match word {
        Word::Bool(yes) => yes.to_string(),
        Word::Number(n) => n.to_string(),
        Word::Player(p) => format!("player {p}"),
        Word::Slot(slot) => format!("slot {slot}"),
        Word::Ability => "ability".to_owned(),
        Word::Look(of) => look(program, of),
        Word::Cost(of) => cost(program, of),
        Word::Name(name) => program.names[name.index()].clone(),
        Word::Way(way) => program.ways[way.index()].clone(),
        Word::Zone(zone) => zone.name().to_owned(),
        Word::Duration(duration) => format!("{duration:?}"),
        Word::Place(place) => format!("{place:?}"),
        Word::Counter(kind) => program.counters[kind.index()].name.clone(),
        Word::Event(event) => event_name(program, event),
    }
}

fn event_name(program: &Program, event: EventName) -> String {
    match event {
        EventName::Named(named) => program.events[named.index()].name.clone(),
        EventName::Verb(Verb::Procedure(procedure)) => program.procedures[procedure.index()].name.clone(),
        EventName::Verb(verb) => {
            Verb::BUILT_IN.iter().find(|(_, v)| *v == verb).map_or_else(String::new, |(name, _)| (*name).to_owned())
        }
    }
}

/// A look by its names, in their order and not in that of their numbers; clauses of a text have no names of their own and
/// are counted.
fn look(program: &Program, look: &Look) -> String {
    let name = look.name.map_or("nameless", |name| program.names[name.index()].as_str());
    let words = program.words.iter().enumerate().filter(|(bit, _)| look.words >> bit & 1 == 1);
    let mut words: Vec<&str> = words.map(|(_, word)| word.name.as_str()).collect();
    words.sort_unstable();
    let keyword = |(id, toll): &(super::tree::KeywordId, Option<Cost>)| {
        let toll = toll.as_ref().map_or_else(String::new, |toll| cost(program, toll));
        format!("{}({toll})", program.keywords[id.index()].name)
    };
    let mut keywords: Vec<String> = look.keywords.iter().map(keyword).collect();
    keywords.sort_unstable();
    let mana = look.mana.map_or_else(|| "no cost".to_owned(), |mana| mana_text(&mana));
    format!("{name}; {mana}; {words:?}; {:?}; {keywords:?}; {} more", look.size, look.clauses.len())
}

fn cost(program: &Program, cost: &Cost) -> String {
    let mut named: Vec<&str> = cost.named.iter().map(|id| program.named_costs[id.index()].name.as_str()).collect();
    named.sort_unstable();
    format!("{} {named:?}", mana_text(&cost.mana))
}

fn mana_text(mana: &Mana) -> String {
    format!("{} {:?} {}", mana.generic, mana.symbols, mana.x)
}
