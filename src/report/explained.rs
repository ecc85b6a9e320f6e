//! The list of what is explained: parts of the law that nothing can put to work, and conjuncts that can't be true or
//! can't be false, each with its reason; cards, events and effects of worlds likewise, behind the word for what they are.
//! It names things by their texts, so that no order means anything.

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The line of the file, from 1.
    pub line: usize,
    /// What is explained.
    pub gap: Gap,
    /// Why it is so.
    pub reason: String,
}

/// What a gap is a gap of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// A rule or keyword: nothing stands before its name.
    Law,
    /// `card NAME`, the name in quotes if it is no word.
    Card,
    /// `event VERB`.
    Event,
    /// `world NAME`.
    World,
}

impl About {
    /// The word before the name.
    fn word(self) -> &'static str {
        match self {
            About::Law => "",
            About::Card => "card ",
            About::Event => "event ",
            About::World => "world ",
        }
    }
}

/// Something that was not met.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// What has it.
    pub about: About,
    /// Its name.
    pub name: String,
    /// The part of it; none: all of it.
    pub part: Option<String>,
    /// The conjunct, and the truth that it never had; none: the part was never at work.
    pub conjunct: Option<(String, bool)>,
}

impl std::fmt::Display for Gap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = self.name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        f.write_str(self.about.word())?;
        if word {
            f.write_str(&self.name)?
        } else {
            write!(f, "\"{}\"", self.name)?
        }
        if let Some(part) = &self.part {
            write!(f, " `{part}`")?;
        }
        match &self.conjunct {
            Some((text, truth)) => write!(f, " `{text}` never {truth}"),
            None => f.write_str(" never"),
        }
    }
}

/// The entries of a list. Blank lines and those that start with `#` say nothing; a line that starts with a space goes on
/// with the reason of the one before.
pub fn entries(text: &str) -> Result<Vec<Entry>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut list: Vec<Entry> = Vec::new();
    for (at, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line)) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with(' ') {
            let Some(last) = list.last_mut() else {
                return Err(format!("line {at} starts with a space and goes on with no entry: take the space away"));
            };
            last.reason = format!("{} {}", last.reason, line.trim()).trim().to_owned();
            continue;
        }
        let entry = entry(at, line).ok_or_else(|| {
            format!(
                "line {at} is no entry: write NAME never: reason, with `part`, or `part` and `conjunct`, after NAME"
            )
        })?;
        if list.iter().any(|other| other.gap == entry.gap) {
            return Err(format!("line {at}: this is explained twice: {}", entry.gap));
        }
        list.push(entry);
    }
    match list.iter().find(|e| e.reason.is_empty()) {
        Some(entry) => Err(format!("line {}: {} has no reason", entry.line, entry.gap)),
        None => Ok(list),
    }
}

fn entry(line: usize, text: &str) -> Option<Entry> {
    let (about, name, mut rest) = named(text)?;
    let mut quoted = Vec::new();
    while let Some(opened) = rest.trim_start().strip_prefix('`') {
        let (inside, after) = opened.split_once('`')?;
        quoted.push(inside.to_owned());
        rest = after;
    }
    let (verdict, reason) = rest.split_once(':')?;
    let mut quoted = quoted.into_iter();
    let (part, conjunct, more) = (quoted.next(), quoted.next(), quoted.next());
    let conjunct = match (verdict.trim(), conjunct, more) {
        ("never", None, None) => None,
        ("never true", Some(text), None) => Some((text, true)),
        ("never false", Some(text), None) => Some((text, false)),
        _ => return None,
    };
    let gap = Gap { about, name: name.to_owned(), part, conjunct };
    Some(Entry { line, gap, reason: reason.trim().to_owned() })
}

/// What an entry speaks of, and what comes after its name. A rule may be called `card`: then what comes is no name.
fn named(text: &str) -> Option<(About, &str, &str)> {
    for about in [About::Card, About::Event, About::World] {
        let Some(rest) = text.strip_prefix(about.word()) else { continue };
        if let Some(opened) = rest.strip_prefix('"') {
            let (name, rest) = opened.split_once('"')?;
            return Some((about, name, rest));
        }
        let (name, after) = rest.split_once(' ')?;
        if !name.starts_with('`') && !after.is_empty() && !name.ends_with(':') && name != "never" {
            return Some((about, name, after));
        }
    }
    let (name, rest) = text.split_once(' ')?;
    Some((About::Law, name, rest))
}
