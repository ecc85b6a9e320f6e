//! The list of mutants that survive, each with the reason: lines of a Markdown page that begin with a dash and a name in
//! backquotes. All else on the page is for readers.

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survivor {
    /// The line of the page, from 1.
    pub line: usize,
    /// The mutant.
    pub name: String,
    /// Why nothing tells it from the law.
    pub reason: String,
}

/// The survivors that a page explains. A line that starts with a space goes on with the reason before it.
pub fn entries(text: &str) -> Result<Vec<Survivor>, String> {
    let mut list: Vec<Survivor> = Vec::new();
    let mut open = false;
    for (line, words) in text.lines().enumerate().map(|(at, words)| (at + 1, words)) {
        if let Some(rest) = words.strip_prefix("- `") {
            let (name, reason) = rest
                .split_once('`')
                .and_then(|(name, after)| Some((name.trim(), after.strip_prefix(':')?.trim())))
                .ok_or_else(|| format!("line {line} is no entry: write - `NAME`: reason"))?;
            if list.iter().any(|other| other.name == name) {
                return Err(format!("line {line}: {name} is explained twice: keep one of them"));
            }
            list.push(Survivor { line, name: name.to_owned(), reason: reason.to_owned() });
            open = true;
        } else if let (true, true, Some(last)) = (open, words.starts_with(' '), list.last_mut()) {
            last.reason = format!("{} {}", last.reason, words.trim()).trim().to_owned();
        } else {
            open = false;
        }
    }
    match list.iter().find(|s| s.reason.is_empty()) {
        Some(one) => Err(format!("line {}: {} has no reason: write one after the colon", one.line, one.name)),
        None => Ok(list),
    }
}

#[cfg(test)]
mod tests {
    use super::entries;

    #[test]
    fn a_page_holds_entries_and_other_text() {
        let page =
            "# Survivors\n\n- other text\n- `a/1/deleted`: it is\n  the same law\n\n- `b/deleted`: no card\nend\n";
        let list = entries(page).unwrap_or_default();
        let found: Vec<_> = list.iter().map(|s| (s.line, s.name.as_str(), s.reason.as_str())).collect();
        assert_eq!(found, [(4, "a/1/deleted", "it is the same law"), (7, "b/deleted", "no card")]);
    }

    #[test]
    fn what_is_no_entry_is_told() {
        for (page, told) in [
            ("- `a`", "line 1 is no entry: write - `NAME`: reason"),
            ("- `a`:\n", "line 1: a has no reason: write one after the colon"),
            ("- `a`: x\n- `a`: y\n", "line 2: a is explained twice: keep one of them"),
        ] {
            assert_eq!(entries(page).err().as_deref(), Some(told));
        }
    }
}
