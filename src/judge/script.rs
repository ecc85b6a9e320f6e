//! A play as one line that a replay follows: the start and the steps, and nothing that a replay finds out by itself.
//!
//! `morpher in library of A | bolt in hand of B ; offer 12 0 3 / 0.2 ; resolve`: cards of the start are divided by `|`,
//! the start and the steps by `;`. Where a name holds one of these, or something that a shell would not leave alone
//! between single quotes, it stands as `%` and two hexadecimal digits for each byte.

use super::play::Play;

/// What a replay needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The cards dealt, as [`Play::start`].
    pub start: Vec<String>,
    /// The steps, as [`super::play::PlayStep::replay`].
    pub steps: Vec<String>,
}

impl Script {
    /// The script of a play.
    pub fn of(play: &Play) -> Script {
        Script { start: play.start.clone(), steps: play.steps.iter().map(|s| s.replay.clone()).collect() }
    }

    /// One line.
    pub fn to_line(&self) -> String {
        let start = self.start.iter().map(|s| encoded(s)).collect::<Vec<_>>().join(" | ");
        let parts = std::iter::once(start).chain(self.steps.iter().map(|s| encoded(s)));
        parts.collect::<Vec<_>>().join(" ; ")
    }

    /// From one line; else what is wrong with it.
    pub fn parse(line: &str) -> Result<Script, String> {
        let mut parts = line.split(';').map(str::trim);
        let start = parts.next().unwrap_or("");
        let start =
            if start.is_empty() { Vec::new() } else { start.split('|').map(decoded).collect::<Result<_, _>>()? };
        let steps = parts.map(decoded).collect::<Result<Vec<_>, _>>()?;
        match steps.iter().position(String::is_empty) {
            Some(at) => Err(format!("step {} of the play is empty", at + 1)),
            None => Ok(Script { start, steps }),
        }
    }
}

fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '%' | '|' | ';' | '\'' | '\\') || c.is_control() {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn decoded(text: &str) -> Result<String, String> {
    let text = text.trim();
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16)).and_then(|d| u8::try_from(d).ok());
        match (digit(rest.next()), digit(rest.next())) {
            (Some(high), Some(low)) => bytes.push(high * 16 + low),
            _ => return Err(format!("after `%` come two hexadecimal digits, in `{text}`")),
        }
    }
    String::from_utf8(bytes).map_err(|_| format!("`{text}` is not UTF-8"))
}
