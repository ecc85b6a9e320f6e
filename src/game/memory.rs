//! What a run has read of the state it started from. A read is of a *projection* (one attribute, or one function of one
//! component's record); the first write of a component counts as a read of all of it. Two states that agree on the reads
//! give the same outcomes, which is what makes ready-made transitions exact.

use std::cell::RefCell;

/// One read: a component and a projection of its record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Read {
    /// The component.
    pub component: u8,
    /// The projection, [`FULL`] for the whole record.
    pub projection: u8,
}

/// The projection that is the whole record.
pub const FULL: u8 = 0;

/// The reads of a run, in order, each once; nothing is noted where it is switched off.
#[derive(Debug, Default)]
pub struct Log {
    on: bool,
    inner: RefCell<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    full: u32,
    seen: Vec<u128>,
    reads: Vec<Read>,
}

impl Log {
    /// A log for a state of so many components.
    pub fn recording(components: usize) -> Log {
        Log { on: true, inner: RefCell::new(Inner { full: 0, seen: vec![0; components], reads: Vec::new() }) }
    }
    /// A log that notes nothing.
    pub fn off() -> Log {
        Log::default()
    }
    /// Whether the whole of a component has been read; always yes where nothing is noted.
    pub fn is_full(&self, component: usize) -> bool {
        !self.on || self.inner.borrow().full >> component & 1 == 1
    }
    /// Notes that the whole of a component was read.
    pub fn full(&self, component: usize) {
        if self.on {
            let mut inner = self.inner.borrow_mut();
            if inner.full >> component & 1 == 0 {
                inner.full |= 1 << component;
                inner.reads.push(Read { component: component as u8, projection: FULL });
            }
        }
    }
    /// Notes a read.
    pub fn note(&self, component: usize, projection: u8) {
        if !self.on {
            return;
        }
        let mut inner = self.inner.borrow_mut();
        if inner.full >> component & 1 == 1 || inner.seen[component] >> projection & 1 == 1 {
            return;
        }
        inner.seen[component] |= 1 << projection;
        inner.reads.push(Read { component: component as u8, projection });
    }
    /// The reads, in order.
    pub fn reads(&self) -> Vec<Read> {
        self.inner.borrow().reads.clone()
    }
}
