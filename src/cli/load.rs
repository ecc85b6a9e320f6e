//! From folders to syntax trees. Everything that a folder can hold besides plain small text files is a clear error, and
//! nothing is opened before it is known to be a regular file. It does not follow what the trees mean.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::io::Failure;
use crate::lang::ast::{self, Span};
use crate::lang::diag::{Code, Diag};
use crate::lang::parse;
use crate::lang::source::Sources;
use rayon::prelude::*;

/// The endings of model files.
pub const ENDINGS: [&str; 5] = ["rules", "cards", "world", "props", "rulings"];
/// The largest file, in bytes.
pub const FILE_BYTES_MAX: u64 = 1 << 20;
/// The largest model, in bytes of all its files.
pub const MODEL_BYTES_MAX: u64 = 64 << 20;
/// The most files of a model.
pub const FILES_MAX: usize = 10_000;
/// The most names looked at in all its folders.
pub const ENTRIES_MAX: usize = 100_000;
/// The deepest folder below the one that was named.
pub const DEPTH_MAX: usize = 16;

/// No file: the place of a finding about a folder or about a file that was not read.
const NO_FILE: Span = Span { file: u16::MAX, start: 0, end: 0 };

/// Files that were read, and their trees.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The files, sorted by path.
    pub sources: Sources,
    /// Their trees, in the same order.
    pub files: Vec<ast::File>,
}

/// Reads the model files of all folders, recursively. Names that start with a dot are passed over; a file that is
/// reached in two ways is read once.
pub fn folders(paths: &[PathBuf]) -> Result<Loaded, Failure> {
    with_files(paths, &[])
}

/// The same, and some files that are named one by one, with any ending.
pub fn with_files(paths: &[PathBuf], files: &[PathBuf]) -> Result<Loaded, Failure> {
    let mut walk = Walk::default();
    paths.iter().for_each(|path| walk.root(path));
    files.iter().for_each(|path| walk.named_file(path));
    walk.read()
}

/// The model files at these paths, folders or files, with what is wrong about some.
pub(super) fn find(paths: &[PathBuf]) -> (Vec<(String, PathBuf)>, Vec<Diag>) {
    let mut walk = Walk::default();
    for path in paths {
        match fs::metadata(path) {
            Ok(meta) if !meta.is_dir() => walk.named_file(path),
            Ok(_) | Err(_) => walk.root(path),
        }
    }
    walk.found.sort();
    (walk.found, walk.diags)
}

#[derive(Default)]
struct Walk {
    /// Files to read: the path to show, the path to open.
    found: Vec<(String, PathBuf)>,
    /// The true paths of those files.
    true_paths: BTreeSet<PathBuf>,
    entries: usize,
    full: bool,
    diags: Vec<Diag>,
}

impl Walk {
    fn wrong(&mut self, message: String, help: Option<&str>) {
        let mut diag = Diag::new(Code::L303, NO_FILE, message);
        diag.help = help.map(str::to_owned);
        self.diags.push(diag);
    }

    /// A folder that the user named.
    fn root(&mut self, path: &Path) {
        let name = shown(path);
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => self.folder(path, &name, &mut Vec::new()),
            Ok(_) => self.wrong(format!("`{name}` is not a folder"), None),
            Err(error) => {
                let help = "name the folders with --model and --properties";
                self.wrong(format!("`{name}` can't be read: {}", words(&error)), Some(help));
            }
        }
    }

    /// A file that the user named.
    fn named_file(&mut self, path: &Path) {
        let name = shown(path);
        match fs::metadata(path) {
            Ok(meta) => self.file(path, name, &meta),
            Err(error) => self.wrong(format!("`{name}` can't be read: {}", words(&error)), None),
        }
    }

    fn folder(&mut self, path: &Path, name: &str, above: &mut Vec<PathBuf>) {
        if above.len() > DEPTH_MAX {
            return self.wrong(format!("`{name}` is nested deeper than the limit {DEPTH_MAX}"), None);
        }
        let listing = fs::canonicalize(path).and_then(|true_path| Ok((true_path, fs::read_dir(path)?)));
        let (true_path, listing) = match listing {
            Ok(found) => found,
            Err(error) => return self.wrong(format!("`{name}` can't be read: {}", words(&error)), None),
        };
        if above.contains(&true_path) {
            return self
                .wrong(format!("`{name}` is a link that leads back to a folder above it"), Some("remove the link"));
        }
        above.push(true_path);
        let mut entries = Vec::new();
        for entry in listing {
            self.entries += 1;
            match entry {
                Ok(entry) => entries.push(entry.path()),
                Err(error) => self.wrong(format!("`{name}` can't be read: {}", words(&error)), None),
            }
            if self.entries > ENTRIES_MAX {
                self.stop(format!("`{name}` and the folders before it hold more names than the limit {ENTRIES_MAX}"));
                break;
            }
        }
        entries.sort();
        for entry in entries {
            if self.full {
                break;
            }
            self.entry(&entry, name, above);
        }
        above.pop();
    }

    fn entry(&mut self, path: &Path, folder: &str, above: &mut Vec<PathBuf>) {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with('.') {
            return;
        }
        let name = format!("{}/{name}", folder.trim_end_matches('/'));
        let ours = is_ours(path);
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() && !ours => self.folder(path, &name, above),
            Ok(meta) if ours => self.file(path, name, &meta),
            Err(error) if ours => self.wrong(format!("`{name}` can't be read: {}", words(&error)), None),
            Ok(_) | Err(_) => {}
        }
    }

    fn file(&mut self, path: &Path, name: String, meta: &Metadata) {
        if path.to_str().is_none() {
            return self.wrong(format!("the name of `{name}` is not UTF-8"), Some("rename the file"));
        }
        if meta.is_dir() {
            return self.wrong(format!("`{name}` is a folder, not a file"), Some("rename the folder"));
        }
        if !meta.is_file() {
            return self.wrong(format!("`{name}` is no regular file but a pipe, socket or device"), None);
        }
        let true_path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if !self.true_paths.insert(true_path) {
            return;
        }
        if self.found.len() >= FILES_MAX {
            return self.stop(format!("`{name}` is one file more than the limit {FILES_MAX}"));
        }
        self.found.push((name, path.to_owned()));
    }

    fn stop(&mut self, message: String) {
        if !self.full {
            self.full = true;
            self.wrong(message, None);
        }
    }

    fn read(mut self) -> Result<Loaded, Failure> {
        self.found.sort();
        let mut loaded = Loaded::default();
        // Each file, to be parsed, or what is wrong about it.
        let mut texts: Vec<Result<u16, Diag>> = Vec::new();
        let mut bytes = 0;
        for (name, path) in std::mem::take(&mut self.found) {
            let text = match text_of(&path, &name, &mut loaded.sources) {
                Ok(text) => text,
                Err(diag) => {
                    texts.push(Err(diag));
                    continue;
                }
            };
            bytes += text.len() as u64;
            if bytes > MODEL_BYTES_MAX {
                let message = format!("`{name}` makes the model larger than the limit of {MODEL_BYTES_MAX} bytes");
                texts.push(Err(Diag::new(Code::L104, NO_FILE, message)));
                break;
            }
            texts.push(Ok(loaded.sources.add(name, text)));
        }
        let files = &loaded.sources.files;
        let parsed = texts.into_par_iter().map(|text| text.map(|at| parse::parse(at, &files[usize::from(at)].text)));
        for parsed in parsed.collect::<Vec<_>>() {
            match parsed {
                Ok((file, mut found)) => {
                    self.diags.append(&mut found);
                    loaded.files.push(file);
                }
                Err(diag) => self.diags.push(diag),
            }
        }
        if self.diags.is_empty() { Ok(loaded) } else { Err(Failure::Model(Box::new(loaded.sources), self.diags)) }
    }
}

impl Loaded {
    /// Adds one text more, as a file of this name.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>, diags: &mut Vec<Diag>) {
        let text = text.into();
        let index = self.sources.add(name, text.clone());
        let (file, mut found) = parse::parse(index, &text);
        diags.append(&mut found);
        // Files that could not be read keep their place among the sources without a tree; nothing is checked then.
        self.files.push(file);
    }
}

/// The text of a regular file; where it is not UTF-8, what can be shown of it goes among the sources.
fn text_of(path: &Path, name: &str, sources: &mut Sources) -> Result<String, Diag> {
    match read_limited(path, FILE_BYTES_MAX) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes().get(at).copied().unwrap_or(0);
            let file = sources.add(name, String::from_utf8_lossy(error.as_bytes()));
            let start = u32::try_from(at).unwrap_or(u32::MAX);
            // The byte is shown as one character of three bytes.
            let span = Span { file, start, end: start.saturating_add(3) };
            Diag::new(Code::L101, span, format!("the byte {byte:#04x} is no character of UTF-8"))
                .help("save the file as UTF-8 text")
        }),
        Err(ReadError::TooLarge) => {
            let message = format!("`{name}` is larger than the limit of {FILE_BYTES_MAX} bytes");
            Err(Diag::new(Code::L104, NO_FILE, message).help("split it"))
        }
        Err(ReadError::Io(error)) => {
            Err(Diag::new(Code::L303, NO_FILE, format!("`{name}` can't be read: {}", words(&error))))
        }
    }
}

/// Why a file was not read.
pub(super) enum ReadError {
    TooLarge,
    Io(std::io::Error),
}

/// The bytes of a file that is regular and not larger than the limit; its length is asked before it is opened.
pub(super) fn read_limited(path: &Path, bytes_max: u64) -> Result<Vec<u8>, ReadError> {
    let meta = fs::metadata(path).map_err(ReadError::Io)?;
    if !meta.is_file() {
        return Err(ReadError::Io(std::io::Error::other("no regular file")));
    }
    if meta.len() > bytes_max {
        return Err(ReadError::TooLarge);
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(ReadError::Io)?;
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() as u64 > bytes_max { Err(ReadError::TooLarge) } else { Ok(bytes) }
}

/// Whether a name has one of our endings.
fn is_ours(path: &Path) -> bool {
    path.extension().is_some_and(|end| ENDINGS.iter().any(|ours| end == *ours))
}

/// The path as the user gave it, with `/` between folders.
pub(super) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy().into_owned();
    if std::path::MAIN_SEPARATOR == '/' { text } else { text.replace(std::path::MAIN_SEPARATOR, "/") }
}

/// What the machine says, in our manner: lowercase, without a number.
pub(super) fn words(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map(|c| c.to_lowercase().chain(chars).collect()).unwrap_or_default()
}
