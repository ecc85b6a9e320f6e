//! Rulebooks of a git revision: asked of the program `git`, which reads the repository that the user stands in. Nothing is
//! checked out and nothing is written.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::io::Failure;
use super::load::{ENDINGS, FILE_BYTES_MAX, FILES_MAX, MODEL_BYTES_MAX};

/// A folder of a revision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Revision {
    /// The revision, as the user named it.
    pub(super) revision: String,
    /// The folder inside the repository; from where git is started, if it begins with `./`.
    pub(super) folder: String,
    /// Where git is started; none: where the user stands.
    pub(super) stand: Option<PathBuf>,
}

/// `REV:FOLDER`, unless a folder of that name is there.
pub(super) fn revision(named: &str) -> Option<Revision> {
    if Path::new(named).exists() {
        return None;
    }
    let (revision, folder) = named.split_once(':')?;
    let folder = folder.trim_end_matches('/').to_owned();
    Some(Revision { revision: revision.to_owned(), folder, stand: None })
}

impl Revision {
    /// The model files of the folder, each as `REV:PATH` with its text.
    pub(super) fn texts(&self) -> Result<Vec<(String, String)>, Failure> {
        let Revision { revision, folder, .. } = self;
        if revision.is_empty() || revision.starts_with('-') || revision.chars().any(char::is_control) {
            return Err(wrong(format!("`{revision}` is no revision"), "write it as HEAD:model or v1.2:model"));
        }
        let Some(commit) = self.asked(&["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])? else {
            return Err(match self.asked(&["rev-parse", "--git-dir"])? {
                Some(_) => wrong(format!("the repository has no revision `{revision}`"), "`git log` lists revisions"),
                None => wrong(
                    format!("`{revision}:{folder}` is neither a folder nor a revision: this is no git repository"),
                    "name a folder, or stand inside the repository",
                ),
            });
        };
        let tree = format!("{}:{folder}", commit.trim());
        let Some(list) = self.asked(&["ls-tree", "-r", "-z", "-l", "--full-tree", &tree])? else {
            let help = "name a folder of it from the root of the repository, as HEAD:model";
            return Err(wrong(format!("the revision `{revision}` has no folder `{folder}`"), help));
        };
        let mut files = Vec::new();
        for entry in list.split('\0').filter(|e| !e.is_empty()) {
            files.extend(self.entry(entry)?);
        }
        files.sort();
        if files.len() > FILES_MAX {
            return Err(Failure::input(format!("`{revision}:{folder}` has more files than the limit {FILES_MAX}")));
        }
        self.read(files)
    }

    /// A line of the list: the path and the object of a model file; none of what is passed over.
    fn entry(&self, entry: &str) -> Result<Option<(String, String)>, Failure> {
        let Some((about, path)) = entry.split_once('\t') else { return Ok(None) };
        let words: Vec<&str> = about.split_whitespace().collect();
        let hidden = path.split('/').any(|part| part.starts_with('.'));
        let ours = Path::new(path).extension().is_some_and(|end| ENDINGS.iter().any(|e| end == *e));
        let ([mode, "blob", object, size], true, false) = (words.as_slice(), ours, hidden) else { return Ok(None) };
        let name = format!("{}:{}", self.revision, self.path(path));
        if *mode == "120000" {
            let help = "name a folder instead: links are followed on the disk only";
            return Err(wrong(format!("`{name}` is a link"), help));
        }
        if size.parse::<u64>().is_ok_and(|bytes| bytes > FILE_BYTES_MAX) {
            return Err(wrong(format!("`{name}` is larger than the limit of {FILE_BYTES_MAX} bytes"), "split it"));
        }
        Ok(Some((name, (*object).to_owned())))
    }

    fn path(&self, path: &str) -> String {
        let folder = self.folder.trim_start_matches("./");
        if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
    }

    /// The texts of objects, all through one process.
    fn read(&self, files: Vec<(String, String)>) -> Result<Vec<(String, String)>, Failure> {
        let mut batch = Batch::new(self.git())?;
        let mut texts = Vec::with_capacity(files.len());
        let mut bytes = 0;
        for (name, object) in files {
            let text = batch.blob(&object).ok_or_else(|| Failure::input(format!("git can't read `{name}`")))?;
            bytes += text.len() as u64;
            if bytes > MODEL_BYTES_MAX {
                return Err(Failure::input(format!("`{name}` makes the model larger than {MODEL_BYTES_MAX} bytes")));
            }
            let text = String::from_utf8(text).map_err(|_| Failure::input(format!("`{name}` is not UTF-8")))?;
            texts.push((name, text));
        }
        Ok(texts)
    }

    fn git(&self) -> Command {
        let mut git = Command::new("git");
        if let Some(stand) = &self.stand {
            git.current_dir(stand);
        }
        git
    }

    /// What git prints; none if it says no.
    fn asked(&self, words: &[&str]) -> Result<Option<String>, Failure> {
        let out = self.git().args(words).stdin(Stdio::null()).output().map_err(|e| no_git(&e))?;
        if !out.status.success() {
            return Ok(None);
        }
        let text = String::from_utf8(out.stdout);
        text.map(Some).map_err(|_| Failure::input(format!("`{}` has a file whose name is not UTF-8", self.revision)))
    }
}

/// A `git cat-file --batch` under way.
struct Batch {
    child: Child,
    ask: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Batch {
    fn new(mut command: Command) -> Result<Batch, Failure> {
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|e| no_git(&e))?;
        let (Some(ask), Some(out)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::Fault("git was started without its streams".to_owned()));
        };
        Ok(Batch { child, ask: Some(ask), answers: BufReader::new(out) })
    }

    /// The bytes of an object; none if it can't be read.
    fn blob(&mut self, object: &str) -> Option<Vec<u8>> {
        let ask = self.ask.as_mut()?;
        writeln!(ask, "{object}").and_then(|()| ask.flush()).ok()?;
        let mut head = String::new();
        self.answers.read_line(&mut head).ok()?;
        let size: usize = head.split_whitespace().nth(2)?.parse().ok()?;
        let mut bytes = vec![0; size + 1];
        self.answers.read_exact(&mut bytes).ok()?;
        bytes.pop();
        Some(bytes)
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // Without its input it ends by itself; how it ended changes nothing of what was read.
        self.ask.take();
        let _ = self.child.wait();
    }
}

fn wrong(message: String, help: &str) -> Failure {
    Failure::helped(message, Some(help.to_owned()))
}

fn no_git(error: &std::io::Error) -> Failure {
    let message = format!("git can't be run: {}", super::load::words(error));
    wrong(message, "install git, or name a folder instead of a revision")
}
