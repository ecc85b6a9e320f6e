//! A directory from which a search can go on after its process was killed. It holds generations: the level files, which
//! never change and are shared, what the caller has learned, and a manifest that names them with their checksums. A
//! manifest gets its name last, so a generation is there whole or not at all. The last two are kept. It knows nothing of
//! what is in the files.

use super::files::{DRAFT_SUFFIX, Disk, Draft, Fault, Kind, Lasting, Seal, seal_of};
use super::lock::{Lock, Unlocked};
use super::manifest::{Entry, FORMAT, Identity, Manifest, Read};
use super::refusal::Refusal;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file that marks a directory as a checkpoint's, and that is locked by the process that uses it.
pub const LOCK_NAME: &str = "facedown-checkpoint.lock";

/// A checkpoint directory that this process has locked.
#[derive(Debug)]
pub struct Checkpoint {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    identity: Identity,
    _lock: Lock,
    /// The number of the generation to be written next.
    next: u64,
    /// The newest sound generation: its number and its files.
    newest: Option<(u64, BTreeSet<String>)>,
}

/// What was found in a directory.
#[derive(Debug)]
pub struct Resume {
    /// To write to it.
    pub checkpoint: Checkpoint,
    /// The newest sound generation; none if the search starts at the beginning.
    pub found: Option<Found>,
    /// What the user should know of it, as sentences.
    pub notes: Vec<String>,
}

/// A sound generation: every file has the length and the checksum that it was written with.
#[derive(Debug)]
pub struct Found {
    /// Its number.
    pub generation: u64,
    /// The level files, level 0 first.
    pub levels: Vec<(PathBuf, Seal)>,
    /// What the caller had learned.
    pub learned: Vec<u8>,
    /// How far the caller had come.
    pub progress: Value,
}

impl Checkpoint {
    /// Takes a directory, which is made if it is not there, and reads all of its newest generation. One that is damaged
    /// is passed over, with a note, for the one before. A directory that must not be used is left as it is.
    pub fn open(disk: &Arc<dyn Disk>, dir: &Path, identity: &Identity) -> Result<Resume, Refusal> {
        std::fs::create_dir_all(dir).map_err(|e| Fault::system("making the directory", dir, e))?;
        let names = list(dir)?;
        if !names.is_empty() && !names.iter().any(|name| name == LOCK_NAME) {
            return Err(Refusal::Foreign(dir.to_path_buf()));
        }
        let lock = Lock::take(dir, LOCK_NAME).map_err(|why| match why {
            Unlocked::Taken => Refusal::Taken(dir.to_path_buf()),
            Unlocked::Fault(fault) => Refusal::Fault(fault),
        })?;
        let mut numbers: Vec<u64> = list(dir)?.iter().filter_map(|n| manifest_number(n.to_str()?)).collect();
        numbers.sort_unstable_by_key(|n| std::cmp::Reverse(*n));
        let (mut found, mut notes, mut named) = (None, Vec::new(), BTreeSet::new());
        for &number in &numbers {
            let path = dir.join(manifest_name(number));
            match read_manifest(&path, number, identity)? {
                Err(why) => notes.push(why),
                Ok(manifest) => {
                    named.extend(manifest.entries().map(|e| e.name.clone()));
                    if found.is_none() {
                        match read_files(dir, &manifest)? {
                            Err(why) => notes.push(why),
                            Ok(sound) => found = Some(sound),
                        }
                    }
                }
            }
        }
        let told = dir.display();
        match (&found, numbers.is_empty()) {
            (None, true) => notes.push(format!("`{told}` holds no checkpoint yet: the search starts at the beginning")),
            (None, false) => return Err(Refusal::Damaged(dir.to_path_buf(), notes)),
            (Some(found), _) if numbers.first() != Some(&found.generation) => {
                notes.push(format!("the search goes on from the generation before, {}, in `{told}`", found.generation));
            }
            (Some(_), _) => notes.clear(),
        }
        let next = numbers.first().map_or(1, |n| n + 1);
        let newest = found.as_ref().map(|f| (f.generation, f.files()));
        let checkpoint = Checkpoint {
            disk: Arc::clone(disk),
            dir: dir.to_path_buf(),
            identity: identity.clone(),
            _lock: lock,
            next,
            newest,
        };
        checkpoint.sweep(&numbers.iter().copied().collect(), &named);
        Ok(Resume { checkpoint, found, notes })
    }

    /// The file in which a level should be written before the next generation: a name that no generation has, so that a
    /// search that starts again, with other keys, never writes over a file that is still needed.
    pub fn level_path(&self, level: u32) -> PathBuf {
        self.dir.join(format!("level-{level:05}.g{}.keys", self.next))
    }

    /// The newest generation that is complete; none before the first.
    pub fn generation(&self) -> Option<u64> {
        self.newest.as_ref().map(|(number, _)| *number)
    }

    /// Writes a generation and gives its number; then the ones before the last two are removed, with all files that none
    /// of these two names. `levels` are all level files that it needs, level 0 first: complete, in this directory, not
    /// changed since they got their names. In `progress`, numbers of more than 64 bits must be strings. After a fault the
    /// generations are as they were.
    pub fn write(
        &mut self,
        levels: &[(PathBuf, Seal)],
        learned: &[u8],
        progress: &impl Serialize,
    ) -> Result<u64, Fault> {
        let generation = self.next;
        // A number is never given twice: a fault may come when the generation has its name already.
        self.next += 1;
        let entries = levels.iter().map(|(path, seal)| self.entry(path, *seal)).collect::<Result<Vec<_>, _>>()?;
        let learned_name = format!("learned-{generation:08}.bin");
        let learned_seal = self.put(&learned_name, learned)?;
        let path = self.dir.join(manifest_name(generation));
        let refused =
            |e: serde_json::Error| Fault::misuse(&format!("progress that is no JSON ({e}) was to be kept"), &path);
        let manifest = Manifest {
            identity: self.identity.clone(),
            generation,
            levels: entries,
            learned: Entry::new(&learned_name, learned_seal),
            progress: serde_json::to_value(progress).map_err(refused)?,
        };
        let text = manifest.text().map_err(refused)?;
        // The data must have their names before the manifest has its own, in whatever order the device writes.
        self.sync()?;
        self.put(&manifest_name(generation), text.as_bytes())?;
        self.sync()?;
        let files: BTreeSet<String> = manifest.entries().map(|e| e.name.clone()).collect();
        let mut kept = BTreeSet::from([generation]);
        let mut named = files.clone();
        if let Some((number, before)) = self.newest.replace((generation, files)) {
            kept.insert(number);
            named.extend(before);
        }
        self.sweep(&kept, &named);
        Ok(generation)
    }

    fn entry(&self, path: &Path, seal: Seal) -> Result<Entry, Fault> {
        let length = path.metadata().map_err(|e| Fault::system("looking at the level", path, e))?.len();
        let name = path.file_name().and_then(|n| n.to_str()).filter(|n| is_data(n));
        match name {
            Some(name) if path == self.dir.join(name) && length == seal.bytes => Ok(Entry::new(name, seal)),
            Some(_) if length != seal.bytes => {
                Err(Fault::corrupt("a level of another length than was written stands", path))
            }
            _ => Err(Fault::misuse("a level that is no file of this checkpoint was to be kept", path)),
        }
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<Seal, Fault> {
        let mut draft = Draft::create(&self.disk, &self.dir.join(name))?;
        draft.write(bytes)?;
        draft.finish(Lasting::Power)
    }

    fn sync(&self) -> Result<(), Fault> {
        self.disk.sync_dir(&self.dir).map_err(|e| Fault::system("completing the checkpoint in", &self.dir, e))
    }

    /// Removes manifests of other numbers, then files of ours that are not named, and drafts. What cannot be removed now
    /// is harmless and is removed by a later call.
    fn sweep(&self, kept: &BTreeSet<u64>, named: &BTreeSet<String>) {
        let names = list(&self.dir).unwrap_or_default();
        let names: Vec<&str> = names.iter().filter_map(|n| n.to_str()).collect();
        let old = names.iter().filter(|n| manifest_number(n).is_some_and(|number| !kept.contains(&number)));
        let free = names.iter().filter(|n| is_data(n) && !named.contains(**n));
        let drafts = names.iter().filter(|n| {
            n.strip_suffix(DRAFT_SUFFIX).is_some_and(|whole| is_data(whole) || manifest_number(whole).is_some())
        });
        for name in old.chain(free).chain(drafts) {
            let _ = self.disk.remove(&self.dir.join(name));
        }
    }
}

impl Found {
    fn files(&self) -> BTreeSet<String> {
        let levels = self.levels.iter().filter_map(|(path, _)| Some(path.file_name()?.to_str()?.to_string()));
        levels.chain([format!("learned-{:08}.bin", self.generation)]).collect()
    }
}

fn manifest_name(generation: u64) -> String {
    format!("manifest-{generation:08}.json")
}

/// The number of the generation whose manifest has this name.
fn manifest_number(name: &str) -> Option<u64> {
    let number = name.strip_prefix("manifest-")?.strip_suffix(".json")?.parse().ok()?;
    (manifest_name(number) == name).then_some(number)
}

fn is_data(name: &str) -> bool {
    name.starts_with("level-") && name.ends_with(".keys") || name.starts_with("learned-") && name.ends_with(".bin")
}

fn list(dir: &Path) -> Result<Vec<OsString>, Fault> {
    let fault = |e| Fault::system("listing", dir, e);
    std::fs::read_dir(dir).map_err(fault)?.map(|entry| Ok(entry.map_err(fault)?.file_name())).collect()
}

/// The manifest of a number, or why it is passed over.
fn read_manifest(path: &Path, number: u64, identity: &Identity) -> Result<Result<Box<Manifest>, String>, Refusal> {
    let text = std::fs::read(path).map_err(|e| Fault::system("reading", path, e))?;
    let refused = |what: &'static str, theirs: &str, ours: &str| Refusal::Other {
        path: path.to_path_buf(),
        what,
        theirs: theirs.to_string(),
        ours: ours.to_string(),
    };
    let manifest = match Manifest::read(&text) {
        Read::Sound(manifest) if manifest.generation == number => manifest,
        Read::Sound(_) | Read::Torn => return Ok(Err(format!("`{}` is damaged", path.display()))),
        Read::OtherFormat(format) => return Err(refused("format", &format.to_string(), &FORMAT.to_string())),
    };
    let (theirs, ours) = (&manifest.identity, identity);
    if theirs.program != ours.program {
        return Err(refused("program", &theirs.program, &ours.program));
    }
    if theirs.version != ours.version {
        return Err(refused("version", &theirs.version, &ours.version));
    }
    if theirs.model != ours.model {
        return Err(refused("model", &theirs.model, &ours.model));
    }
    Ok(Ok(manifest))
}

/// The files of a generation, or which of them is not as it was written.
fn read_files(dir: &Path, manifest: &Manifest) -> Result<Result<Found, String>, Refusal> {
    for entry in manifest.entries() {
        let path = dir.join(&entry.name);
        let damaged =
            |what: &str| Ok(Err(format!("`{}`, of generation {}, {what}", path.display(), manifest.generation)));
        match seal_of(&path) {
            Ok(seal) if Some(seal) == entry.seal() => {}
            Ok(seal) if seal.bytes != entry.bytes => return damaged("has another length than was written"),
            Ok(_) => return damaged("is damaged"),
            Err(Fault { kind: Kind::System, cause: Some(e), .. }) if e.kind() == ErrorKind::NotFound => {
                return damaged("is missing");
            }
            // A device or a permission that fails for now must not make us forget a generation.
            Err(fault) => return Err(Refusal::Fault(fault)),
        }
    }
    let path = dir.join(&manifest.learned.name);
    let learned = std::fs::read(&path).map_err(|e| Fault::system("reading", &path, e))?;
    let level = |e: &Entry| Some((dir.join(&e.name), e.seal()?));
    let levels = manifest.levels.iter().filter_map(level).collect();
    Ok(Ok(Found { generation: manifest.generation, levels, learned, progress: manifest.progress.clone() }))
}
