//! A disk that fails where a test wants it to.

use facedown::explore::disk::files::{Disk, Real, Sink};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// What happens when the operations are used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// This one operation fails; later ones work.
    Once,
    /// The process is dead: this and all later operations do nothing.
    Killed,
    /// The power fails: like `Killed`, and what was not synced is half there, under its old name.
    Power,
    /// The power fails, and of the renames that were not synced only the last was kept.
    PowerLastKept,
}

#[derive(Debug)]
struct State {
    ops_left: u64,
    ops_done: u64,
    bytes_left: u64,
    end: Option<End>,
    unsynced: BTreeSet<PathBuf>,
    /// Renames since the directory was synced.
    renames: Vec<(PathBuf, PathBuf)>,
}

#[derive(Clone, Debug)]
pub struct Faulty(Arc<Mutex<State>>);

impl Faulty {
    /// Fails after so many operations or bytes.
    pub fn new(ops: u64, bytes: u64, end: End) -> Faulty {
        let (unsynced, renames) = (BTreeSet::new(), Vec::new());
        Faulty(Arc::new(Mutex::new(State {
            ops_left: ops,
            ops_done: 0,
            bytes_left: bytes,
            end: Some(end),
            unsynced,
            renames,
        })))
    }
    pub fn disk(&self) -> Arc<dyn Disk> {
        Arc::new(self.clone())
    }
    pub fn ops_done(&self) -> u64 {
        self.0.lock().unwrap().ops_done
    }
    /// From now on as many bytes and operations as one likes.
    pub fn heal(&self) {
        let mut s = self.0.lock().unwrap();
        s.ops_left = u64::MAX;
        s.bytes_left = u64::MAX;
    }
    pub fn limit_bytes(&self, bytes: u64) {
        self.0.lock().unwrap().bytes_left = bytes;
    }
    pub fn limit_ops(&self, ops: u64) {
        self.0.lock().unwrap().ops_left = ops;
    }
    fn op(&self) -> io::Result<()> {
        let mut s = self.0.lock().unwrap();
        if s.ops_left == 0 {
            if s.end == Some(End::Once) {
                s.ops_left = u64::MAX;
            }
            return Err(io::Error::other("injected"));
        }
        s.ops_left -= 1;
        s.ops_done += 1;
        Ok(())
    }
    /// After a power failure: files not synced are cut in half, renames not synced are undone.
    pub fn lose_power(&self) {
        let s = self.0.lock().unwrap();
        let kept = usize::from(s.end == Some(End::PowerLastKept));
        for (from, to) in s.renames.iter().rev().skip(kept) {
            let _ = std::fs::rename(to, from);
        }
        for path in &s.unsynced {
            if let Ok(bytes) = std::fs::read(path) {
                std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
            }
        }
    }
}

struct FaultySink {
    inner: Box<dyn Sink>,
    path: PathBuf,
    of: Faulty,
}

impl Write for FaultySink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(e) = self.of.op() {
            // A write that is cut leaves a part.
            let _ = self.inner.write_all(&bytes[..bytes.len() / 2]);
            return Err(e);
        }
        let left = self.of.0.lock().unwrap().bytes_left;
        let fits = (bytes.len() as u64).min(left) as usize;
        if fits == 0 && !bytes.is_empty() {
            return Err(io::Error::from(ErrorKind::StorageFull));
        }
        self.inner.write_all(&bytes[..fits])?;
        let mut s = self.of.0.lock().unwrap();
        if s.bytes_left != u64::MAX {
            s.bytes_left -= fits as u64;
        }
        Ok(fits)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for FaultySink {
    fn sync(&mut self) -> io::Result<()> {
        self.of.op()?;
        self.of.0.lock().unwrap().unsynced.remove(&self.path);
        Ok(())
    }
}

impl Disk for Faulty {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        self.op()?;
        self.0.lock().unwrap().unsynced.insert(path.to_path_buf());
        Ok(Box::new(FaultySink { inner: Real.create(path)?, path: path.to_path_buf(), of: self.clone() }))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.op()?;
        Real.rename(from, to)?;
        let mut s = self.0.lock().unwrap();
        if s.unsynced.remove(from) {
            s.unsynced.insert(to.to_path_buf());
        }
        s.renames.push((from.to_path_buf(), to.to_path_buf()));
        Ok(())
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.op()?;
        self.0.lock().unwrap().unsynced.remove(path);
        Real.remove(path)
    }
    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.op()?;
        self.0.lock().unwrap().renames.retain(|(_, to)| to.parent() != Some(dir));
        Ok(())
    }
}
