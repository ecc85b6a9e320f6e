//! The words that start something, and the nearest of them to a misspelt one. It knows no place: whether a word is
//! reserved where it stands is the business of the part that reads it.

/// What starts an item.
pub(super) const ITEMS: [&str; 14] = [
    "rule",
    "keyword",
    "card",
    "archetype",
    "reading",
    "edition",
    "subtype",
    "counter",
    "world",
    "ghost",
    "property",
    "witness",
    "conjecture",
    "ruling",
];

/// What stands between the name of an item and its `{`.
pub(super) const HEADER: [&str; 5] = ["cites", "since", "until", "under", "from"];

/// What starts a line of a rule, keyword or card.
pub(super) const CLAUSES: [&str; 19] = [
    "says",
    "permit",
    "forbid",
    "instead",
    "before",
    "as",
    "whenever",
    "check",
    "price",
    "static",
    "spell",
    "define",
    "view",
    "event",
    "look_back",
    "procedure",
    "cost",
    "profile",
    "marker",
];

/// What starts a statement, a call aside.
pub(super) const STATEMENTS: [&str; 7] = ["choose", "each", "if", "let", "give", "set", "nothing"];

/// What starts a modification.
pub(super) const MODS: [&str; 6] = ["has", "loses", "is", "becomes", "gets", "sized"];

/// What starts a line of a world.
pub(super) const WORLD: [&str; 6] = ["players", "start", "allow", "mana", "budget", "cap"];

/// What starts a line of a property.
pub(super) const CLAIMS: [&str; 5] = ["says", "always", "whenever", "possible", "blind"];

/// What starts a line of a ruling.
pub(super) const RULING: [&str; 4] = ["says", "given", "when", "then"];

/// What can't be a name inside an expression, since it goes on with one or ends it.
const JOINTS: [&str; 23] = [
    "and", "or", "not", "where", "when", "is", "has", "in", "but", "may", "pay", "paying", "because", "choosing",
    "then", "else", "among", "until", "target", "some", "every", "count", "back",
];

/// Whether a word can't be a name inside an expression or a list of words.
pub(super) fn reserved(word: &str) -> bool {
    JOINTS.contains(&word) || STATEMENTS.contains(&word) || CLAUSES.contains(&word) && word != "cost" && word != "event"
}

/// The word of the list that `word` is a slip of the pen for.
pub(super) fn nearest<'w>(word: &str, words: &[&'w str]) -> Option<&'w str> {
    let slips_max = if word.chars().count() < 5 { 1 } else { 2 };
    words
        .iter()
        .map(|w| (strsim::osa_distance(word, w), *w))
        .filter(|(slips, _)| (1..=slips_max).contains(slips))
        .min_by_key(|(slips, w)| (*slips, *w))
        .map(|(_, w)| w)
}
