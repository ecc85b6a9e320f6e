//! One process a directory. The lock is the system's and goes with the process, however that ends.

use super::files::Fault;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

/// A directory that is this process's as long as this lives.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why a lock was not had.
#[derive(Debug)]
pub enum Unlocked {
    /// Another process, or another part of this one, has it.
    Taken,
    /// The lock file could not be made or locked.
    Fault(Fault),
}

impl Lock {
    /// Takes a directory; the lock file of this name stays in it for good and is empty.
    pub fn take(dir: &Path, name: &str) -> Result<Lock, Unlocked> {
        let path = dir.join(name);
        let fault = |cause| Unlocked::Fault(Fault::system("locking", &path, cause));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Unlocked::Taken),
            Err(TryLockError::Error(cause)) => Err(fault(cause)),
        }
    }
}
