//! The few operations that change a disk, behind a trait so that a test can let any of them fail; files that appear whole
//! or not at all; and what is said when something goes wrong. It knows no format.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// The end of the name of every file that is not complete yet.
pub const DRAFT_SUFFIX: &str = ".tmp";

/// Everything that changes a disk.
pub trait Disk: Send + Sync + fmt::Debug {
    /// Creates a file for writing; one that is there is emptied.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>>;
    /// Gives a file another name in one step; a file of that name is replaced.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Waits until the names in a directory would survive a power failure.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
}

/// A file that is being written.
pub trait Sink: Write + Send {
    /// Waits until everything written would survive a power failure.
    fn sync(&mut self) -> io::Result<()>;
}

/// The disk of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Real;

impl Disk for Real {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        Ok(Box::new(File::create(path)?))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }
    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        File::open(dir)?.sync_all()
    }
}

impl Sink for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// The kinds of trouble, by what one can do about them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// No space is left.
    Full,
    /// The system refused, or the device is broken.
    System,
    /// A file does not hold what was written to it.
    Corrupt,
    /// A caller broke a rule of this module.
    Misuse,
}

/// What went wrong, where, and what to do next.
#[derive(Debug)]
pub struct Fault {
    /// The kind.
    pub kind: Kind,
    /// The file or directory.
    pub path: PathBuf,
    /// What was being done, or what is wrong, as the start of a sentence.
    pub what: String,
    /// What the system said.
    pub cause: Option<io::Error>,
}

impl Fault {
    /// The system refused something.
    pub fn system(what: &str, path: &Path, cause: io::Error) -> Fault {
        let full = matches!(cause.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        let kind = if full { Kind::Full } else { Kind::System };
        Fault { kind, path: path.to_path_buf(), what: what.to_string(), cause: Some(cause) }
    }
    /// A file is not what was written.
    pub fn corrupt(what: &str, path: &Path) -> Fault {
        Fault { kind: Kind::Corrupt, path: path.to_path_buf(), what: what.to_string(), cause: None }
    }
    /// A rule was broken by the caller.
    pub fn misuse(what: &str, path: &Path) -> Fault {
        Fault { kind: Kind::Misuse, path: path.to_path_buf(), what: what.to_string(), cause: None }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let path = self.path.display();
        match &self.cause {
            Some(cause) => write!(f, "{} `{path}` failed: {cause}; ", self.what)?,
            None => write!(f, "{} in `{path}`; ", self.what)?,
        }
        f.write_str(match self.kind {
            Kind::Full => "free some space there or give another directory, then go on: all that was complete is intact",
            Kind::System => "see that the directory exists, may be written and its device is sound, then go on: all that was complete is intact",
            Kind::Corrupt => "go on from the last checkpoint, or start again in an empty directory, and see whether the device is sound",
            Kind::Misuse => "this is a mistake in the program: please report it",
        })
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_ref().map(|c| c as _)
    }
}

/// A new folder for files that nobody needs after the process; it is removed when it is dropped. Without a parent it is
/// made where the system has its temporary files.
pub fn scratch(parent: Option<&Path>) -> Result<tempfile::TempDir, Fault> {
    let named = tempfile::Builder::new().prefix("facedown-").to_owned();
    let made = parent.map_or_else(|| named.tempdir(), |parent| named.tempdir_in(parent));
    made.map_err(|e| {
        Fault::system("making a folder in", parent.unwrap_or(Path::new("the system's temporary folder")), e)
    })
}

/// The length and the checksum of a whole file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seal {
    /// Bytes.
    pub bytes: u64,
    /// The XXH3 of all of them.
    pub xxh3: u64,
}

/// Reads a file once for its length and checksum.
pub fn seal_of(path: &Path) -> Result<Seal, Fault> {
    let fault = |cause| Fault::system("reading", path, cause);
    let mut file = File::open(path).map_err(fault)?;
    let (mut hash, mut bytes, mut part) = (Xxh3::new(), 0, vec![0; 1 << 18]);
    loop {
        match file.read(&mut part) {
            Ok(0) => return Ok(Seal { bytes, xxh3: hash.digest() }),
            Ok(n) => {
                hash.update(&part[..n]);
                bytes += n as u64;
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(fault(e)),
        }
    }
}

/// How long a file must last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lasting {
    /// Through a power failure, as soon as it has its name.
    Power,
    /// As long as the process.
    Process,
}

/// A file that has its name only once it is complete. Dropped before, it is removed.
pub struct Draft {
    disk: Arc<dyn Disk>,
    sink: Option<Box<dyn Sink>>,
    temp: PathBuf,
    path: PathBuf,
    hash: Xxh3,
    bytes: u64,
    /// A write failed: who knows what of it is there.
    torn: bool,
}

impl Draft {
    /// Begins a file: it is written under its name with `.tmp` at the end.
    pub fn create(disk: &Arc<dyn Disk>, path: &Path) -> Result<Draft, Fault> {
        let mut temp = path.as_os_str().to_os_string();
        temp.push(DRAFT_SUFFIX);
        let temp = PathBuf::from(temp);
        let sink = disk.create(&temp).map_err(|e| Fault::system("creating", &temp, e))?;
        let (disk, path) = (Arc::clone(disk), path.to_path_buf());
        Ok(Draft { disk, sink: Some(sink), temp, path, hash: Xxh3::new(), bytes: 0, torn: false })
    }
    /// Appends. After a fault the file can only be dropped.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.whole()?;
        if let Some(sink) = &mut self.sink {
            let written = sink.write_all(bytes);
            self.torn = written.is_err();
            written.map_err(|e| Fault::system("writing", &self.temp, e))?;
        }
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }
    fn whole(&self) -> Result<(), Fault> {
        match self.torn {
            true => Err(Fault::misuse("a file whose writing had failed was to be gone on with", &self.temp)),
            false => Ok(()),
        }
    }
    /// The checksum of what was written so far.
    pub fn digest(&self) -> u64 {
        self.hash.digest()
    }
    /// The name it will have.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Completes the file and gives it its name.
    pub fn finish(mut self, lasting: Lasting) -> Result<Seal, Fault> {
        self.whole()?;
        if let (Some(sink), Lasting::Power) = (&mut self.sink, lasting) {
            sink.sync().map_err(|e| Fault::system("completing", &self.temp, e))?;
        }
        let seal = Seal { bytes: self.bytes, xxh3: self.hash.digest() };
        self.disk.rename(&self.temp, &self.path).map_err(|e| Fault::system("giving its name to", &self.path, e))?;
        self.sink = None;
        Ok(seal)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Best effort: the next process to use the directory removes drafts that are left.
        if self.sink.take().is_some() {
            let _ = self.disk.remove(&self.temp);
        }
    }
}
