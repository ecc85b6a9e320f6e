//! The files of a model, held whole, so that every span can be shown. It reads nothing itself.

/// One file's name and text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as the user named it, with `/` between folders.
    pub path: String,
    /// The text.
    pub text: String,
}

/// All files of a run; [`crate::lang::ast::Span::file`] indexes them.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The files, sorted by path.
    pub files: Vec<SourceFile>,
    /// The git revisions that files were read from: those are named `REV:PATH`.
    pub revisions: Vec<String>,
}

impl Sources {
    /// Adds a file and gives its index.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> u16 {
        self.files.push(SourceFile { path: path.into(), text: text.into() });
        u16::try_from(self.files.len() - 1).unwrap_or(u16::MAX)
    }

    /// The revision that a file of this name was read from, and its path there.
    pub fn revision_of<'a>(&'a self, name: &'a str) -> Option<(&'a str, &'a str)> {
        let split = |r: &'a String| Some((r.as_str(), name.strip_prefix(r.as_str())?.strip_prefix(':')?));
        self.revisions.iter().find_map(split)
    }

    /// Line and column, from 1, of a byte of a file; columns count characters.
    pub fn line_column(&self, file: u16, byte: u32) -> (usize, usize) {
        let Some(f) = self.files.get(usize::from(file)) else { return (1, 1) };
        let mut at = (byte as usize).min(f.text.len());
        while !f.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &f.text[..at];
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
    }
}
