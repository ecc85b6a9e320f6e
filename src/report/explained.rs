//! The list of what is explained: parts of the law that nothing can put to work, and conjuncts that can't be true or
//! can't be false, each with its reason. It names things by their texts, so that no order means anything.

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

/// Something that was not met.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// The rule or keyword.
    pub rule: String,
    /// The part of it; none: all of it.
    pub part: Option<String>,
    /// The conjunct, and the truth that it never had; none: the part was never at work.
    pub conjunct: Option<(String, bool)>,
}

impl std::fmt::Display for Gap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.rule)?;
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
    let (rule, mut rest) = text.split_once(' ')?;
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
    let gap = Gap { rule: rule.to_owned(), part, conjunct };
    Some(Entry { line, gap, reason: reason.trim().to_owned() })
}
