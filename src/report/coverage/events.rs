//! Events: which verbs of physics happened, with which of the few words that an argument can be, and which of them a clause
//! met; of named events, which a clause met by that name.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::gaps::Gaps;
use super::{Findings, Section};
use crate::judge::coverage::{Mark, Part, Spoken, Word};
use crate::lang::ast::Span;
use crate::lang::tree::{Duration, EventId, Place, Program, Verb, WayId, Zone};
use crate::report::explained::{About, Gap};

/// Where verbs of physics stand: in no file.
const NOWHERE: Span = Span { file: u16::MAX, start: 0, end: 0 };

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EventCoverage {
    /// `verb` of physics, or `event` that a rule names.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The worlds in which it happened; of a named event, in which a clause met it by that name.
    pub worlds: Vec<String>,
    /// The rulings likewise.
    pub rulings: Vec<String>,
    /// How many clauses are written on it.
    pub listening: usize,
    /// Whether one of them met it and did something.
    pub heard: bool,
    /// Words that its arguments were, or that the law names for them.
    pub words: Vec<WordCoverage>,
    /// Of `move`: from where to where, as `hand to battlefield`; `nowhere` for what is made there.
    pub moves: Vec<String>,
}

/// A word for an argument.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WordCoverage {
    /// The argument with the word, as `by: morph`.
    pub word: String,
    /// Whether the law names it there.
    pub named: bool,
    /// In how many worlds it happened so.
    pub worlds: usize,
    /// In how many rulings.
    pub rulings: usize,
}

fn name(program: &Program, word: Word) -> &str {
    match word {
        Word::Zone(z) => z.name(),
        Word::Way(w) => program.ways.get(w.index()).map_or("", String::as_str),
        Word::Duration(Duration::Forever) => "forever",
        Word::Duration(Duration::EndOfTurn) => "end_of_turn",
        Word::Duration(Duration::TurnedDown) => "turned_down",
        Word::Place(Place::OnTop) => "on_top",
        Word::Place(Place::AtBottom) => "at_bottom",
        Word::Counter(k) => program.counters.get(k.index()).map_or("", |k| k.name.as_str()),
    }
}

/// An argument with its word: `by: morph`, or the word alone where the argument has no label.
fn argument(program: &Program, verb: Verb, at: u8, word: Word) -> String {
    let label = verb.signature().get(usize::from(at)).and_then(|p| p.label);
    let word = name(program, word);
    label.map_or_else(|| word.to_owned(), |label| format!("{label}: {word}"))
}

/// Every word that an argument of this place could be.
fn all_words(program: &Program) -> Vec<Word> {
    let zones = [
        Zone::Battlefield,
        Zone::Stack,
        Zone::Hand,
        Zone::Library,
        Zone::Graveyard,
        Zone::Exile,
        Zone::Phased,
        Zone::Outside,
        Zone::Beneath,
    ];
    let ways = (0..program.ways.len()).map(|i| Word::Way(WayId(i as u16)));
    let durations = [Duration::Forever, Duration::EndOfTurn, Duration::TurnedDown].map(Word::Duration);
    let places = [Place::OnTop, Place::AtBottom].map(Word::Place);
    let counters = (0..program.counters.len()).map(|i| Word::Counter(crate::lang::tree::CounterId(i as u16)));
    zones.map(Word::Zone).into_iter().chain(ways).chain(durations).chain(places).chain(counters).collect()
}

fn moves(f: &Findings) -> Vec<String> {
    let zones: Vec<Zone> =
        all_words(f.program).into_iter().filter_map(|w| if let Word::Zone(z) = w { Some(z) } else { None }).collect();
    let from = std::iter::once(None).chain(zones.iter().map(|z| Some(*z)));
    let pairs = from.flat_map(|from| zones.iter().map(move |to| (from, *to)));
    let there = pairs.filter(|(from, to)| f.met.has(Mark::Moved(*from, *to)));
    there.map(|(from, to)| format!("{} to {}", from.map_or("nowhere", Zone::name), to.name())).collect()
}

/// The verbs, then the named events.
pub(super) fn events(f: &Findings) -> Vec<EventCoverage> {
    let spoken = Spoken::of(f.program);
    let all = all_words(f.program);
    let mut list = Vec::new();
    for (verb_name, verb) in Verb::BUILT_IN {
        let mut words = Vec::new();
        for at in 0..verb.signature().len() as u8 {
            for word in &all {
                let mark = [Mark::With(*verb, at, *word)];
                let (worlds, rulings) = (f.met.worlds(&mark).len(), f.met.rulings(&mark).len());
                let named = spoken.words.contains(&(*verb, at, *word));
                if named || worlds + rulings > 0 {
                    words.push(WordCoverage { word: argument(f.program, *verb, at, *word), named, worlds, rulings });
                }
            }
        }
        let mark = [Mark::Happened(*verb)];
        let listening = spoken.heads.iter().filter(|(v, _)| v == verb).count();
        list.push(EventCoverage {
            kind: "verb".to_owned(),
            name: (*verb_name).to_owned(),
            worlds: f.met.worlds(&mark),
            rulings: f.met.rulings(&mark),
            listening,
            heard: f.met.has(Mark::Heard(*verb)),
            words,
            moves: if *verb == Verb::Move { moves(f) } else { Vec::new() },
        });
    }
    for (i, event) in f.program.events.iter().enumerate() {
        let mark = [Mark::Part(Part::Event(EventId(i as u16)))];
        let (worlds, rulings) = (f.met.worlds(&mark), f.met.rulings(&mark));
        list.push(EventCoverage {
            kind: "event".to_owned(),
            name: event.name.clone(),
            heard: !worlds.is_empty() || !rulings.is_empty(),
            worlds,
            rulings,
            listening: spoken.names.iter().filter(|(e, _)| e.index() == i).count(),
            words: Vec::new(),
            moves: Vec::new(),
        });
    }
    list
}

/// A verb that never happens, and a word that the law names for an argument with which it never happens. Named events are
/// parts of rules, and gaps of theirs.
pub(super) fn gaps(f: &Findings, gaps: &mut Gaps) {
    let spoken = Spoken::of(f.program);
    for (verb_name, verb) in Verb::BUILT_IN {
        let gap = |part| Gap { about: About::Event, name: (*verb_name).to_owned(), part, conjunct: None };
        let idle = !f.met.has(Mark::Happened(*verb));
        gaps.add(gap(None), Section::Events, NOWHERE, idle, spoken.says(*verb));
        let words: BTreeSet<_> = spoken.words.iter().filter(|(v, ..)| v == verb).collect();
        for (_, at, word) in words {
            let open = !f.met.has(Mark::With(*verb, *at, *word));
            gaps.add(gap(Some(argument(f.program, *verb, *at, *word))), Section::Events, NOWHERE, open, !idle);
        }
    }
}
