//! Writing files: in one step, so that a crash leaves the old file or the new one, and never a half. What is in them is
//! decided elsewhere.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::io::Failure;
use super::load;

/// Puts a text into a file, in the place of what it held. The folders above it are made where they are missing.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    make_folder(path)?;
    written(path, text).map_err(|error| cant_write(path, &error))
}

/// Whether a file can be written: tried before a long run, so that its result is not lost.
pub(super) fn try_it(path: &Path) -> Result<(), Failure> {
    make_folder(path)?;
    let target = target(path);
    let tried = match fs::metadata(&target) {
        Ok(meta) if meta.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(meta) if !meta.is_file() => Ok(()),
        Ok(meta) if meta.permissions().readonly() => Err(io::Error::from(io::ErrorKind::PermissionDenied)),
        Ok(_) | Err(_) => {
            let beside = beside(&target);
            File::create(&beside).and_then(|_| fs::remove_file(&beside))
        }
    };
    tried.map_err(|error| cant_write(path, &error))
}

/// The failure to write a file.
pub(super) fn cant_write(path: &Path, error: &io::Error) -> Failure {
    Failure::input(format!("`{}` can't be written: {}", load::shown(path), load::words(error)))
}

fn make_folder(path: &Path) -> Result<(), Failure> {
    match path.parent().filter(|f| !f.as_os_str().is_empty()) {
        Some(folder) => fs::create_dir_all(folder).map_err(|error| cant_write(folder, &error)),
        None => Ok(()),
    }
}

/// What a link leads to is replaced, not the link.
fn target(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn beside(target: &Path) -> PathBuf {
    let mut beside = target.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    PathBuf::from(beside)
}

fn written(path: &Path, text: &str) -> io::Result<()> {
    let target = target(path);
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|meta| !meta.is_file()) {
        // A pipe or a device has nothing that could be lost, and can't be replaced.
        return fs::write(&target, text);
    }
    let beside = beside(&target);
    let written = fs::write(&beside, text)
        .and_then(|()| old.map_or(Ok(()), |meta| fs::set_permissions(&beside, meta.permissions())))
        .and_then(|()| fs::rename(&beside, &target));
    if written.is_err() {
        // The new file is of no use; that it can't be removed either changes nothing for the user.
        let _ = fs::remove_file(&beside);
    }
    written
}
