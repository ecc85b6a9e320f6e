//! Why a checkpoint directory is not used, and what to do about it.

use super::files::Fault;
use std::fmt;
use std::path::PathBuf;

/// A directory that must not be used. It was left as it is.
#[derive(Debug)]
pub enum Refusal {
    /// It has files, and none that says it is a checkpoint.
    Foreign(PathBuf),
    /// Another process uses it.
    Taken(PathBuf),
    /// Its newest readable generation is of another format, program, version or model.
    Other {
        /// The manifest.
        path: PathBuf,
        /// In what it differs: `format`, `program`, `version` or `model`.
        what: &'static str,
        /// What stands there.
        theirs: String,
        /// What this process has.
        ours: String,
    },
    /// There are generations, and each of them is damaged: why, as sentences.
    Damaged(PathBuf, Vec<String>),
    /// The system refused something.
    Fault(Fault),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Refusal {
        Refusal::Fault(fault)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refusal::Foreign(dir) => {
                write!(
                    f,
                    "`{}` holds files that are no checkpoint; give an empty directory or a new one",
                    dir.display()
                )
            }
            Refusal::Taken(dir) => write!(
                f,
                "another process is using the checkpoint `{}`; wait until it ends or give another directory",
                dir.display()
            ),
            Refusal::Other { path, what, theirs, ours } => {
                let path = path.display();
                write!(f, "the checkpoint `{path}` was written with {what} `{theirs}`, and this is {what} `{ours}`; ")?;
                f.write_str(match *what {
                    "model" => "go on with the model it was written for, or give another directory",
                    _ => "go on with the program that wrote it, or give another directory",
                })
            }
            Refusal::Damaged(dir, why) => write!(
                f,
                "no generation of the checkpoint `{}` is whole: {}; see whether the device is sound, and start again in an empty directory",
                dir.display(),
                why.join(", ")
            ),
            Refusal::Fault(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Refusal::Fault(fault) => Some(fault),
            _ => None,
        }
    }
}
