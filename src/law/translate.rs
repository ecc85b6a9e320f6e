//! From the numbers of one law to those of another, by name: two laws that are laid out for one world number their cards,
//! looks, ways, clauses and marks each in its own manner. What the other law has no name for has no translation.

use super::ground::Law;
use super::step::{Action, Label};
use super::verbs::Choice;
use crate::game::record::{CostId, Entry, EntryKind, LookId, PlayerRec, Record, SlotRec, State, Value};
use crate::lang::tree::{
    CardId, ClauseId, Cost, CounterId, EventName, Look, Mod, ModId, ModKind, NameId, NamedCostId, ProcedureId, Program,
    Verb, WayId, WordId,
};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// The words of one law in the other.
pub struct Translation<'l, 'p> {
    from: &'l Law<'p>,
    to: &'l Law<'p>,
    /// The clause of the other law that is the same, or in its place.
    pub clauses: Vec<Option<ClauseId>>,
    cards: Vec<Option<CardId>>,
    names: Vec<Option<NameId>>,
    keywords: Vec<Option<u16>>,
    costs: Vec<Option<NamedCostId>>,
    words: Vec<Option<u16>>,
    counters: Vec<Option<CounterId>>,
    markers: Vec<Option<u16>>,
    ways: Vec<Option<WayId>>,
    procedures: Vec<Option<ProcedureId>>,
    events: Vec<Option<u16>>,
    mods: Vec<Option<ModId>>,
    /// Faces of cards that say something else in the other law: the face of the card of that name.
    faces: FxHashMap<Look, Look>,
    looks: RefCell<FxHashMap<LookId, Option<LookId>>>,
    records: RefCell<FxHashMap<Record, Option<Record>>>,
}

/// Where each name of a list stands in another.
fn by_name<T>(from: impl Iterator<Item = T>, to: &[T]) -> Vec<Option<u16>>
where
    T: PartialEq,
{
    from.map(|name| to.iter().position(|other| *other == name).map(|at| at as u16)).collect()
}

impl<'l, 'p> Translation<'l, 'p> {
    /// Between two laws for one world; of each clause of the first it is known which of the second is the same.
    pub fn new(from: &'l Law<'p>, to: &'l Law<'p>, clauses: Vec<Option<ClauseId>>) -> Translation<'l, 'p> {
        let (a, b) = (from.program, to.program);
        macro_rules! named {
            ($list:ident, $name:ident) => {
                by_name(
                    a.$list.iter().map(|x| x.$name.as_str()),
                    &b.$list.iter().map(|x| x.$name.as_str()).collect::<Vec<_>>(),
                )
            };
        }
        let mut new = Translation {
            from,
            to,
            clauses,
            cards: named!(cards, name).into_iter().map(|n| n.map(CardId)).collect(),
            names: by_name(a.names.iter(), &b.names.iter().collect::<Vec<_>>())
                .into_iter()
                .map(|n| n.map(NameId))
                .collect(),
            keywords: named!(keywords, name),
            costs: named!(named_costs, name).into_iter().map(|n| n.map(NamedCostId)).collect(),
            words: named!(words, name),
            counters: named!(counters, name).into_iter().map(|n| n.map(CounterId)).collect(),
            markers: named!(markers, name),
            ways: by_name(a.ways.iter(), &b.ways.iter().collect::<Vec<_>>())
                .into_iter()
                .map(|n| n.map(WayId))
                .collect(),
            procedures: named!(procedures, name).into_iter().map(|n| n.map(ProcedureId)).collect(),
            events: named!(events, name),
            mods: Vec::new(),
            faces: FxHashMap::default(),
            looks: RefCell::default(),
            records: RefCell::default(),
        };
        new.mods = new.all_mods(a, b);
        for (card, twin) in a.cards.iter().zip(new.cards.clone()) {
            let Some(twin) = twin.map(|t| &b.cards[t.index()]) else { continue };
            let mut face = |mine: &Look, theirs: &Look| {
                if new.value_of(mine).as_ref() != Some(theirs) {
                    new.faces.insert(mine.clone(), theirs.clone());
                }
            };
            face(&card.front, &twin.front);
            if let (Some(mine), Some(theirs)) = (&card.back, &twin.back) {
                face(mine, theirs);
            }
        }
        new
    }

    /// Equal modifications; those that set a size by an expression are told by their order, if there are as many.
    fn all_mods(&self, a: &Program, b: &Program) -> Vec<Option<ModId>> {
        let sized = |m: &Mod| matches!(m.kind, ModKind::Sized(..));
        let theirs: Vec<usize> = (0..b.mods.len()).filter(|m| sized(&b.mods[*m])).collect();
        let as_many = a.mods.iter().filter(|m| sized(m)).count() == theirs.len();
        let mut next = theirs.into_iter();
        let each = a.mods.iter().map(|m| {
            if sized(m) {
                return next.next().filter(|_| as_many);
            }
            let kind = self.kind(&m.kind)?;
            b.mods.iter().position(|other| other.layer == m.layer && other.kind == kind)
        });
        each.map(|at| at.map(|at| ModId(at as u16))).collect()
    }

    fn kind(&self, kind: &ModKind) -> Option<ModKind> {
        Some(match kind {
            ModKind::Has(k, cost) => {
                let cost = match cost {
                    Some(c) => Some(self.cost_value(c)?),
                    None => None,
                };
                ModKind::Has(crate::lang::tree::KeywordId(self.keywords[k.index()]?), cost)
            }
            ModKind::LosesAbilities => ModKind::LosesAbilities,
            ModKind::IsAlso(w) => ModKind::IsAlso(WordId(self.words[w.index()]?)),
            ModKind::Becomes(list) => {
                ModKind::Becomes(list.iter().map(|w| self.words[w.index()].map(WordId)).collect::<Option<_>>()?)
            }
            ModKind::Gets(p, t) => ModKind::Gets(*p, *t),
            ModKind::Sized(..) => return None,
        })
    }

    fn cost_value(&self, cost: &Cost) -> Option<Cost> {
        let named = cost.named.iter().map(|n| self.costs[n.index()]).collect::<Option<_>>()?;
        Some(Cost { mana: cost.mana, named })
    }

    /// A look as a value of the other law.
    fn value_of(&self, look: &Look) -> Option<Look> {
        let mut words = 0u128;
        for (i, to) in self.words.iter().enumerate().filter(|(i, _)| look.words >> i & 1 == 1) {
            debug_assert!(i < 128);
            words |= 1 << (*to)?;
        }
        let keyword = |(k, cost): &(crate::lang::tree::KeywordId, Option<Cost>)| {
            let cost = match cost {
                Some(c) => Some(self.cost_value(c)?),
                None => None,
            };
            Some((crate::lang::tree::KeywordId(self.keywords[k.index()]?), cost))
        };
        let mut keywords: Vec<_> = look.keywords.iter().map(keyword).collect::<Option<_>>()?;
        keywords.sort();
        let mut clauses: Vec<ClauseId> = look.clauses.iter().map(|c| self.clause(*c)).collect::<Option<_>>()?;
        clauses.sort();
        let name = match look.name {
            Some(n) => Some(self.names[n.index()]?),
            None => None,
        };
        Some(Look { name, mana: look.mana, words, size: look.size, keywords, clauses })
    }

    /// A clause.
    pub fn clause(&self, c: ClauseId) -> Option<ClauseId> {
        self.clauses.get(c.index()).copied().flatten()
    }

    /// A look.
    pub fn look(&self, id: LookId) -> Option<LookId> {
        if let Some(known) = self.looks.borrow().get(&id) {
            return *known;
        }
        let look = self.from.looks.get(id);
        let value = self.faces.get(&*look).cloned().or_else(|| self.value_of(&look));
        let made = value.map(|l| self.to.looks.look(&l));
        self.looks.borrow_mut().insert(id, made);
        made
    }

    /// A cost.
    pub fn cost(&self, id: CostId) -> Option<CostId> {
        Some(self.to.looks.cost(&self.cost_value(&self.from.looks.get_cost(id))?))
    }

    /// A verb.
    pub fn verb(&self, verb: Verb) -> Option<Verb> {
        match verb {
            Verb::Procedure(p) => self.procedures[p.index()].map(Verb::Procedure),
            built_in => Some(built_in),
        }
    }

    /// A value.
    pub fn value(&self, value: Value) -> Option<Value> {
        Some(match value {
            Value::Look(l) => Value::Look(self.look(l)?),
            Value::Cost(Some(c)) => Value::Cost(Some(self.cost(c)?)),
            Value::Name(Some(n)) => Value::Name(Some(self.names[n.index()]?)),
            Value::Way(Some(w)) => Value::Way(Some(self.ways[w.index()]?)),
            Value::Counter(k) => Value::Counter(self.counters[k.index()]?),
            Value::Event(EventName::Verb(v)) => Value::Event(EventName::Verb(self.verb(v)?)),
            Value::Event(EventName::Named(e)) => {
                Value::Event(EventName::Named(crate::lang::tree::EventId(self.events[e.index()]?)))
            }
            Value::Bool(_)
            | Value::Number(_)
            | Value::Player(_)
            | Value::Object(_)
            | Value::Cost(None)
            | Value::Name(None)
            | Value::Way(None)
            | Value::Zone(_)
            | Value::Duration(_)
            | Value::Place(_) => value,
        })
    }

    /// A list of values.
    pub fn values(&self, list: &[Value]) -> Option<Vec<Value>> {
        list.iter().map(|v| self.value(*v)).collect()
    }

    /// What a step is.
    pub fn label(&self, label: Label) -> Option<Label> {
        Some(match label {
            Label::Resolve => Label::Resolve,
            Label::Effect(p, by) => Label::Effect(self.procedures[p.index()]?, by),
            Label::Offer(c, p, o, cost) => Label::Offer(self.clause(c)?, p, o, self.cost(cost)?),
        })
    }

    /// Something that can be tried.
    pub fn action(&self, action: Action) -> Option<Action> {
        Some(match action {
            Action::Resolve => Action::Resolve,
            Action::Effect(p, by, only) => Action::Effect(self.procedures[p.index()]?, by, only),
            Action::Offer(c, p, o) => Action::Offer(self.clause(c)?, p, o),
        })
    }

    /// A choice means the same in both.
    pub fn choice(&self, choice: &Choice) -> Choice {
        choice.clone()
    }

    fn marks(&self, marks: u64) -> Option<u64> {
        let set = self.markers.iter().enumerate().filter(|(i, _)| marks >> i & 1 == 1);
        set.map(|(_, to)| to.map(|to| 1u64 << to)).try_fold(0, |all, bit| Some(all | bit?))
    }

    /// What a state needs to hold, in the other's numbers: counters and markers.
    pub fn tracked(&self, counters: u32, markers: u64) -> (u32, u64) {
        let of = |list: &mut dyn Iterator<Item = Option<u16>>, bits: u64| {
            list.enumerate()
                .filter(|(i, _)| bits >> i & 1 == 1)
                .fold(0u64, |all, (_, to)| all | to.map_or(0, |t| 1 << t))
        };
        let counters = of(&mut self.counters.iter().map(|c| c.map(|c| c.0)), u64::from(counters)) as u32;
        (counters, of(&mut self.markers.iter().copied(), markers))
    }

    fn slot(&self, rec: &SlotRec) -> Option<SlotRec> {
        let mut counters = vec![0; self.to.program.counters.len()];
        for (k, n) in rec.counters.iter().enumerate().filter(|(_, n)| **n > 0) {
            counters[self.counters[k]?.index()] = *n;
        }
        let (card, printed) = match rec.card {
            Some(c) => {
                let twin = self.cards[c.index()]?;
                (Some(twin), self.to.face(twin))
            }
            None => (None, self.look(rec.printed)?),
        };
        let way = match rec.way {
            Some(w) => Some(self.ways[w.index()]?),
            None => None,
        };
        Some(SlotRec {
            card,
            printed,
            back: self.look(rec.back)?,
            way,
            listed: self.look(rec.listed)?,
            copies: rec.copies.iter().map(|(l, d)| Some((self.look(*l)?, *d))).collect::<Option<_>>()?,
            gives: rec.gives.iter().map(|(m, d)| Some((self.mods[m.index()]?, *d))).collect::<Option<_>>()?,
            counters,
            marks: self.marks(rec.marks)?,
            ..rec.clone()
        })
    }

    fn entry(&self, entry: &Entry) -> Option<Entry> {
        let what = match &entry.what {
            EntryKind::Ability { clause, source, you, vars } => EntryKind::Ability {
                clause: self.clause(*clause)?,
                source: *source,
                you: *you,
                vars: self.values(vars)?,
            },
            other => other.clone(),
        };
        Some(Entry { what, aims: entry.aims, targeted: entry.targeted })
    }

    /// A component's record, worked out once.
    pub fn record(&self, record: &Record) -> Option<Record> {
        if let Some(known) = self.records.borrow().get(record) {
            return known.clone();
        }
        let made = match record {
            Record::Slot(rec) => self.slot(rec).map(|r| Record::Slot(Rc::new(r))),
            Record::Player(rec) => {
                self.marks(rec.marks).map(|marks| Record::Player(Rc::new(PlayerRec { marks, ..(**rec).clone() })))
            }
            Record::Stack(list) => {
                list.iter().map(|e| self.entry(e)).collect::<Option<Vec<_>>>().map(|l| Record::Stack(Rc::new(l)))
            }
            Record::Table(_) | Record::Stamps(_) => Some(record.clone()),
        };
        self.records.borrow_mut().insert(record.clone(), made.clone());
        made
    }

    /// A state.
    pub fn state(&self, st: &State) -> Option<State> {
        let records = (0..st.components()).map(|c| self.record(&st.record(c))).collect::<Option<Vec<_>>>()?;
        State::assemble(st.slots.len(), st.players.len(), records.iter())
    }
}
