//! What a generation of a checkpoint consists of, as JSON. The envelope is the same in every format, so that any version
//! can say which one wrote a directory:
//!
//! ```text
//! {"checkpoint": "facedown", "format": 1, "xxh3": "<of the name, the format and the manifest's text>", "manifest": {...}}
//! ```

use super::files::Seal;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_64;

/// The version of the format of a checkpoint, with all its files. Another version is refused.
pub const FORMAT: u32 = 1;
const NAME: &str = "facedown";

/// Whose checkpoint it is. All three must be the same for a search to go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// The program.
    pub program: String,
    /// Its version.
    pub version: String,
    /// A hash of everything that decides which states there are.
    pub model: String,
}

/// A file of a generation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Its name in the directory, without a path.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its XXH3, in 16 hexadecimal digits.
    pub xxh3: String,
}

/// A generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// Whose it is.
    pub identity: Identity,
    /// Its number: 1 or more, never given twice in a directory.
    pub generation: u64,
    /// The level files, level 0 first.
    pub levels: Vec<Entry>,
    /// What the caller has learned.
    pub learned: Entry,
    /// How far the caller has come.
    pub progress: Value,
}

/// What the text of a manifest file is.
#[derive(Debug)]
pub enum Read {
    /// As it was written.
    Sound(Box<Manifest>),
    /// As it was written, by a version with another format.
    OtherFormat(u32),
    /// Not as it was written.
    Torn,
}

#[derive(Serialize, Deserialize)]
struct Envelope {
    checkpoint: String,
    format: u32,
    xxh3: String,
    manifest: Box<RawValue>,
}

fn sum(name: &str, format: u32, manifest: &str) -> String {
    hex(xxh3_64(format!("{name} {format} {manifest}").as_bytes()))
}

fn hex(number: u64) -> String {
    format!("{number:016x}")
}

impl Entry {
    /// The entry of a file of this name.
    pub fn new(name: &str, seal: Seal) -> Entry {
        Entry { name: name.to_string(), bytes: seal.bytes, xxh3: hex(seal.xxh3) }
    }
    /// Its length and checksum; none if that is no number.
    pub fn seal(&self) -> Option<Seal> {
        Some(Seal { bytes: self.bytes, xxh3: u64::from_str_radix(&self.xxh3, 16).ok()? })
    }
}

impl Manifest {
    /// The text of the manifest's file.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        let manifest = RawValue::from_string(serde_json::to_string(self)?)?;
        let xxh3 = sum(NAME, FORMAT, manifest.get());
        let envelope = Envelope { checkpoint: NAME.to_string(), format: FORMAT, xxh3, manifest };
        Ok(serde_json::to_string(&envelope)? + "\n")
    }
    /// Reads the text of a manifest's file, which may be anything.
    pub fn read(text: &[u8]) -> Read {
        let Ok(envelope) = serde_json::from_slice::<Envelope>(text) else { return Read::Torn };
        if envelope.checkpoint != NAME || envelope.xxh3 != sum(NAME, envelope.format, envelope.manifest.get()) {
            return Read::Torn;
        }
        if envelope.format != FORMAT {
            return Read::OtherFormat(envelope.format);
        }
        match serde_json::from_str::<Manifest>(envelope.manifest.get()) {
            Ok(manifest) if manifest.entries().all(|e| is_plain(&e.name)) => Read::Sound(Box::new(manifest)),
            _ => Read::Torn,
        }
    }
    /// All files of the generation.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.levels.iter().chain([&self.learned])
    }
}

/// A name that stays in the directory.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b)) && !name.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let entry = |name| Entry::new(name, Seal { bytes: 7, xxh3: u64::MAX - 5 });
        Manifest {
            identity: Identity { program: "p".to_string(), version: "1".to_string(), model: "m".to_string() },
            generation: 3,
            levels: vec![entry("level-00000.g1.keys"), entry("level-00001.g3.keys")],
            learned: entry("learned-00000003.bin"),
            progress: serde_json::json!({"hits": [1, u64::MAX], "text": "é\n"}),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let text = manifest().text().unwrap();
        let Read::Sound(read) = Manifest::read(text.as_bytes()) else { panic!("{text}") };
        assert_eq!(*read, manifest());
        assert_eq!(read.learned.seal(), Some(Seal { bytes: 7, xxh3: u64::MAX - 5 }));
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_torn_or_means_the_same() {
        let text = manifest().text().unwrap().into_bytes();
        for at in 0..text.len() - 1 {
            assert!(matches!(Manifest::read(&text[..at]), Read::Torn));
            for bit in 0..8 {
                let mut bad = text.clone();
                bad[at] ^= 1 << bit;
                match Manifest::read(&bad) {
                    Read::Torn => {}
                    // A space between the parts of the envelope may become another.
                    Read::Sound(read) => assert_eq!(*read, manifest()),
                    Read::OtherFormat(_) => panic!("byte {at}"),
                }
            }
        }
    }

    #[test]
    fn another_format_is_told_from_damage() {
        let raw = RawValue::from_string("{\"unknown\":1}".to_string()).unwrap();
        let xxh3 = sum(NAME, 2, raw.get());
        let text =
            serde_json::to_vec(&Envelope { checkpoint: NAME.to_string(), format: 2, xxh3, manifest: raw }).unwrap();
        assert!(matches!(Manifest::read(&text), Read::OtherFormat(2)));
    }

    #[test]
    fn names_that_leave_the_directory_are_refused() {
        for name in ["../x", "a/b", "", ".", "..", ".x", "a\\b"] {
            let mut bad = manifest();
            bad.levels[0].name = name.to_string();
            assert!(matches!(Manifest::read(bad.text().unwrap().as_bytes()), Read::Torn), "{name}");
        }
    }
}
