//! Merging: how a card becomes a component of a permanent, and how it stops being one (730.2, 730.3). What that means for
//! faces, reveals and abilities is text of the law.

use super::verbs::Run;
use crate::game::looks;
use crate::game::record::{LookId, NO_OBJECT, Obj};
use crate::lang::tree::{Look, Zone};

impl Run<'_, '_> {
    /// Whether an object can become a component of another: of a permanent, and itself none nor part of one.
    pub(super) fn can_merge(&self, x: Obj, with: Obj) -> bool {
        let slots = self.state.slots.len();
        if x == with || usize::from(x) >= slots || usize::from(with) >= slots {
            return false;
        }
        let there = Some(Zone::Battlefield) == self.reader.zone(&self.state, with);
        let from = self.reader.zone(&self.state, x);
        there
            && from.is_some_and(|z| !matches!(z, Zone::Battlefield | Zone::Phased | Zone::Beneath))
            && self.reader.parts(&self.state, x).is_empty()
    }

    /// Makes an object the topmost or the lowest component of a permanent.
    pub(super) fn merge(&mut self, x: Obj, with: Obj, on_top: bool) {
        let given = std::mem::take(&mut self.slot(x).gives);
        for g in given {
            self.give(with, g);
        }
        self.renew(x);
        let home_tracked = self.reader.law.setting.tracked.home;
        let rec = self.slot(x);
        let (from, owner) = (rec.zone, rec.owner);
        rec.zone = Some(Zone::Beneath);
        rec.controller = owner;
        rec.home = if home_tracked { owner } else { 0 };
        self.leave_place(x, from, owner);
        let face = self.reader.face_up(&self.state.slots[usize::from(x)]);
        let rec = self.slot(with);
        if rec.parts.is_empty() {
            rec.parts.push(with);
        }
        if on_top {
            rec.parts.insert(0, x);
            rec.copies.clear();
        } else {
            rec.parts.push(x);
            self.extend_copies(with, face);
        }
    }

    /// A copy effect older than the merge has what the merge adds to it.
    fn extend_copies(&mut self, o: Obj, face: LookId) {
        let law = self.reader.law;
        let added = law.looks.get(face);
        for (look, _) in &mut self.slot(o).copies {
            let mut new = Look::clone(&law.looks.get(*look));
            looks::add_abilities(&mut new, &added);
            *look = law.looks.look(&new);
        }
    }

    /// What leaves as a component of a permanent is found through it (730.3c), until that has moved on.
    pub(super) fn found_through(&mut self, o: Obj, from: Option<Zone>) {
        if !self.reader.law.setting.tracked.left_with || matches!(from, Some(Zone::Battlefield | Zone::Phased)) {
            return;
        }
        if from == Some(Zone::Beneath) {
            let head = self.reader.pile(&self.state, o);
            self.slot(o).left_with = if head == o { NO_OBJECT } else { head };
            return;
        }
        for q in 0..self.state.slots.len() {
            self.reader.log.note(q, super::ground::projection::LEFT_WITH);
            if self.state.slots[q].left_with == o {
                self.slot(q as Obj).left_with = NO_OBJECT;
            }
        }
    }

    /// Takes an object out of the library, the stack or the pile that it was in.
    pub(super) fn leave_place(&mut self, o: Obj, from: Option<Zone>, owner: u8) {
        match from {
            Some(Zone::Library) => self.player_rec(owner).library.retain(|q| *q != o),
            Some(Zone::Stack) => self.remove_entry(o),
            Some(Zone::Beneath) => {
                let slots = 0..self.state.slots.len() as Obj;
                if let Some(head) = slots.into_iter().find(|h| self.reader.parts(&self.state, *h).contains(&o)) {
                    let parts = &mut self.slot(head).parts;
                    parts.retain(|q| *q != o);
                    if parts.len() == 1 {
                        parts.clear();
                    }
                }
            }
            _ => {}
        }
    }
}
