//! What a search needs to go on after its process has ended: how states stand in keys, what was counted, and what was
//! learned. What was learned is kept as a diary: who learns the same in the same order gives the same numbers.

use super::disk::checkpoint::{Checkpoint, Found, Resume};
use super::disk::files::{Disk, Fault, Real};
use super::disk::levels::Level;
use super::disk::manifest::Identity;
use super::disk::refusal::Refusal;
use super::kept::{Hit, Kept, Tally};
use super::key::{Key, Layout};
use super::ready::{Miss, Ready};
use super::symmetry::{Exchange, Symmetry};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where checkpoints of searches go.
pub struct Save<'a> {
    /// A folder; each world has one of its own in it.
    pub dir: &'a Path,
    /// Whether to go on from what is there; else the folder must hold no checkpoint of the world.
    pub resume: bool,
    /// A checksum of all that decides which states there are: the model, the edition, the readings.
    pub model: &'a str,
    /// Told what the user should know, a sentence each.
    pub note: &'a (dyn Fn(&str) + Sync),
}

/// How far a search had come.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Saved {
    /// How many numbers each component may have.
    pub radices: Vec<u32>,
    /// How many it had.
    pub words: Vec<usize>,
    /// Whether keys are of 128 bits.
    pub wide: bool,
    steps: u64,
    events: u64,
    cap_met: bool,
    /// Bit, level and key of each first hit.
    hits: Vec<(u16, u32, String)>,
    by_level: Vec<u64>,
    /// If interchangeable objects are explored once: which.
    #[serde(default)]
    exchange: Option<Exchange>,
}

impl Saved {
    /// Exchanges what the search that wrote it exchanged; it must have been asked to just as this one is.
    pub fn exchanging<'l, 'p>(&self, ready: Ready<'l, 'p, u64>, found: &Found) -> Result<Ready<'l, 'p, u64>, Trouble> {
        match (&self.exchange, &ready.symmetry) {
            (None, None) => Ok(ready),
            (Some(exchange), Some(_)) => Ok(ready.exchanging(exchange.clone())),
            (Some(_), None) => Err(differs(found, "it was written with --symmetry")),
            (None, Some(_)) => Err(differs(found, "it was written without --symmetry")),
        }
    }
    /// What is to be kept of a search.
    pub fn of<K: Key>(ready: &Ready<K>, tally: &Tally<K>) -> Saved {
        Saved {
            radices: ready.walk.layout.radices.clone(),
            words: ready.words(),
            wide: K::BYTES > 8,
            steps: tally.steps,
            events: tally.events,
            cap_met: tally.cap_met,
            hits: tally.hits.iter().map(|h| (h.bit, h.level, h.key.widen().to_string())).collect(),
            by_level: tally.by_level.clone(),
            exchange: ready.symmetry.as_ref().map(Symmetry::exchange),
        }
    }

    fn tally<K: Key>(&self) -> Option<Tally<K>> {
        let hit = |(bit, level, key): &(u16, u32, String)| {
            Some(Hit { bit: *bit, level: *level, key: K::narrow(key.parse().ok()?) })
        };
        Some(Tally {
            steps: self.steps,
            events: self.events,
            cap_met: self.cap_met,
            hits: self.hits.iter().map(hit).collect::<Option<_>>()?,
            by_level: self.by_level.clone(),
        })
    }
}

/// Why a search can't be kept or taken up.
#[derive(Debug)]
pub enum Trouble {
    /// The folder must not be used.
    Refused(Refusal),
    /// There is a checkpoint where a new one was to begin.
    Exists(PathBuf),
    /// What is kept does not lead to the same again.
    Differs(PathBuf, &'static str),
    /// The law has a fault.
    Miss(Miss),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Trouble::Refused(refusal) => refusal.fmt(f),
            Trouble::Exists(dir) => write!(
                f,
                "`{}` holds a checkpoint already; go on from it with --resume, or give --checkpoint an empty directory",
                dir.display()
            ),
            Trouble::Differs(dir, what) => write!(
                f,
                "the checkpoint in `{}` does not fit: {what}; go on with the program and the model that wrote it, or give an empty directory",
                dir.display()
            ),
            Trouble::Miss(miss) => write!(f, "what the checkpoint had learned can't be learned again: {miss:?}"),
        }
    }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Trouble {
        Trouble::Refused(refusal)
    }
}
impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Refused(Refusal::Fault(fault))
    }
}

/// A checkpoint that is open, and what it holds.
pub(super) struct Open {
    pub checkpoint: Checkpoint,
    pub found: Option<(Saved, Found)>,
}

impl Save<'_> {
    /// Opens the checkpoint of a world.
    pub(super) fn open(&self, world: &str) -> Result<Open, Trouble> {
        let dir = self.dir.join(world);
        let identity = Identity {
            program: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            model: self.model.to_owned(),
        };
        let disk: Arc<dyn Disk> = Arc::new(Real);
        let Resume { checkpoint, found, notes } = Checkpoint::open(&disk, &dir, &identity)?;
        if !self.resume {
            return match found {
                Some(_) => Err(Trouble::Exists(dir)),
                None => Ok(Open { checkpoint, found: None }),
            };
        }
        for note in notes {
            (self.note)(&note);
        }
        let Some(found) = found else { return Ok(Open { checkpoint, found: None }) };
        let saved: Saved = serde_json::from_value(found.progress.clone())
            .map_err(|_| Trouble::Differs(dir, "how far it had come can't be read"))?;
        Ok(Open { checkpoint, found: Some((saved, found)) })
    }
}

fn differs(found: &Found, what: &'static str) -> Trouble {
    let dir = found.levels.first().and_then(|(path, _)| path.parent()).unwrap_or(Path::new("."));
    Trouble::Differs(dir.to_path_buf(), what)
}

/// Learns again what a checkpoint had learned, and opens its levels.
pub(super) fn take_up<'l, 'p, K: Key>(
    mut ready: Ready<'l, 'p, K>,
    saved: &Saved,
    found: &Found,
) -> Result<(Ready<'l, 'p, K>, Kept<K>), Trouble> {
    let differs = |what| differs(found, what);
    let components = ready.law.components();
    let fits = |radices: &[u32]| radices.len() == components && Layout::new(radices.to_vec()).bits() <= K::BITS;
    if !fits(&saved.radices) || saved.words.len() != components {
        return Err(differs("its states have other components"));
    }
    ready = ready.relay(Layout::new(saved.radices.clone())).map_err(Trouble::Miss)?;
    let diary: Vec<u32> =
        found.learned.chunks_exact(4).map(|c| c.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b))).collect();
    for entry in diary.chunks_exact(1 + components) {
        let (group, numbers) = (entry[0] as usize, &entry[1..]);
        let known = numbers.iter().enumerate().all(|(c, n)| (*n as usize) < ready.words_of(c));
        if group >= ready.walk.groups() || !known || ready.walk.find(group, numbers).is_some() {
            return Err(differs("what it had learned is not what the law says"));
        }
        ready.learn(group, numbers, true).map_err(Trouble::Miss)?;
    }
    if ready.words() != saved.words {
        return Err(differs("its states are numbered in another way"));
    }
    let levels = found.levels.iter().map(|(path, _)| Level::open(path)).collect::<Result<Vec<_>, Fault>>()?;
    let tally = saved.tally().ok_or_else(|| differs("how far it had come can't be read"))?;
    if levels.len() != tally.by_level.len() + 1 {
        return Err(differs("it has another number of levels than were counted"));
    }
    Ok((ready, Kept { levels, tally, files: None }))
}

/// The bytes of a diary.
pub(super) fn bytes_of(diary: &[u32]) -> Vec<u8> {
    diary.iter().flat_map(|n| n.to_le_bytes()).collect()
}
