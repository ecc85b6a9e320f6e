//! `facedown`: a formal model checker for the face-down rules of Magic: The Gathering.
pub mod lang;
pub mod naive;
