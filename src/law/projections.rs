//! The projections of a component's record that runs read, each as a number. Two records with equal numbers can't be told
//! apart by a run that read no more of them.

use super::changes::{ends_with_turn, marks_of_a_turn};
use super::eval::Reader;
use super::ground::projection as at;
use super::step::gates;
use crate::game::record::Record;
use crate::lang::tree::Ty;

/// The value of a projection (not of the whole record).
pub fn project(reader: &Reader, record: &Record, projection: u8) -> u64 {
    match record {
        Record::Slot(rec) => {
            let law = reader.law;
            match projection {
                at::ZONE => rec.zone.map_or(99, |z| z as u64),
                at::OWNER => u64::from(rec.owner),
                at::CONTROLLER => u64::from(rec.controller),
                at::HOME => u64::from(rec.home),
                at::FACE_DOWN => u64::from(rec.face_down),
                at::WAY => rec.way.map_or(0, |w| u64::from(w.0) + 1),
                at::LISTED => u64::from(rec.listed.0),
                at::TAPPED => u64::from(rec.tapped),
                at::TRANSFORMED => u64::from(rec.transformed),
                at::DAMAGE => u64::from(rec.damage),
                at::HOST => u64::from(rec.host),
                at::CARD => rec.card.map_or(0, |k| u64::from(k.0) + 1),
                at::KNOWN => u64::from(rec.known),
                at::MARKS => rec.marks,
                at::STATIC_SOURCE => u64::from(reader.static_source(rec)),
                at::GATES => gates(law, rec),
                at::OWN_STATICS => reader.own_statics(rec),
                at::PARTS => u64::from(!rec.parts.is_empty()),
                at::EXISTS => u64::from(rec.zone.is_some()),
                at::ENDS_WITH_TURN => u64::from(ends_with_turn(rec, marks_of_a_turn(law.program, Ty::Object))),
                at::LEFT_WITH => u64::from(rec.left_with),
                p if (at::COUNTERS..at::LOOK).contains(&p) => {
                    u64::from(rec.counters.get(usize::from(p - at::COUNTERS)).copied().unwrap_or(0))
                }
                p if (at::LOOK..at::CARRIES).contains(&p) => {
                    let view = crate::lang::tree::ViewId(u16::from(p - at::LOOK));
                    u64::from(reader.own_look(rec, law.layers(view)).0)
                }
                p => {
                    let look = reader.own_look(rec, law.layers(law.now));
                    let clause = law.carried.iter().find(|(_, n)| **n == p - at::CARRIES).map(|(c, _)| *c);
                    // The costs are part of what was found, so they are part of the read.
                    match clause.map(|c| reader.tolls(look, c)).unwrap_or_default().as_slice() {
                        [] => 0,
                        [None] => 1,
                        [Some(cost)] => 2 + u64::from(cost.0),
                        _ => 1 << 40 | u64::from(look.0),
                    }
                }
            }
        }
        Record::Player(rec) => match projection {
            at::IN_GAME => u64::from(rec.in_game),
            at::MANA => rec.mana.map_or(0, |m| u64::from(m) + 1),
            at::TOP => rec.library.first().map_or(999, |o| u64::from(*o)),
            at::SECOND => rec.library.get(1).map_or(999, |o| u64::from(*o)),
            _ => rec.marks,
        },
        Record::Stack(entries) => entries.len() as u64,
        Record::Table(table) => match projection {
            at::ACTIVE => u64::from(table.active),
            _ => u64::from(table.over),
        },
        Record::Stamps(_) => 0,
    }
}
