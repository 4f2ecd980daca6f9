//! How a character looks, in the attributes and the sixteen colours that every terminal has.

/// The look of a run of text. The colours are the terminal's own, so that they suit its background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    attributes: u8,
    colour: Option<Colour>,
}

/// Colours that can be read on a light and on a dark background; most of them are for code.
#[cfg_attr(not(feature = "highlight"), allow(dead_code))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    Red,
    Green,
    Blue,
    Magenta,
    Cyan,
}

/// The attributes, and the numbers that a terminal knows them by.
const NUMBERS: [(u8, &str); 5] = [(1, "1"), (2, "2"), (4, "3"), (8, "4"), (16, "9")];

impl Style {
    pub(super) const PLAIN: Self = Self::of(0);
    pub(super) const BOLD: Self = Self::of(1);
    pub(super) const DIM: Self = Self::of(2);
    pub(super) const ITALIC: Self = Self::of(4);
    pub(super) const UNDERLINED: Self = Self::of(8);
    pub(super) const STRUCK: Self = Self::of(16);
    /// Code within a line.
    pub(super) const CODE: Self = Self::coloured(Colour::Cyan);

    const fn of(attributes: u8) -> Self {
        Self { attributes, colour: None }
    }

    pub(super) const fn coloured(colour: Colour) -> Self {
        Self { attributes: 0, colour: Some(colour) }
    }

    /// Both looks at once; the other's colour wins.
    pub(super) fn and(self, other: Self) -> Self {
        Self { attributes: self.attributes | other.attributes, colour: other.colour.or(self.colour) }
    }

    /// Whether a space in this look is more than a space.
    pub(super) fn shows_on_spaces(self) -> bool {
        self.attributes & (Self::UNDERLINED.attributes | Self::STRUCK.attributes) != 0
    }

    /// Writes a text in this look, complete in itself: whatever comes next, the terminal is left as it was.
    pub(super) fn write(self, text: &str, out: &mut String) {
        if self == Self::PLAIN || text.is_empty() {
            return out.push_str(text);
        }
        let colour = self.colour.map(|colour| match colour {
            Colour::Red => "31",
            Colour::Green => "32",
            Colour::Blue => "34",
            Colour::Magenta => "35",
            Colour::Cyan => "36",
        });
        let attributes =
            NUMBERS.iter().filter(|(bit, _)| self.attributes & bit != 0).map(|(_, number)| *number);
        let numbers: Vec<&str> = attributes.chain(colour).collect();
        out.push_str(&format!("\x1b[{}m{text}\x1b[0m", numbers.join(";")));
    }
}

/// A run of text in one look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) style: Style,
}

impl Span {
    pub(super) fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_written_with_its_end() {
        let written = |style: Style| {
            let mut out = String::new();
            style.write("a", &mut out);
            out
        };
        assert_eq!(written(Style::PLAIN), "a");
        assert_eq!(written(Style::BOLD.and(Style::STRUCK).and(Style::CODE)), "\x1b[1;9;36ma\x1b[0m");
        assert_eq!(written(Style::CODE.and(Style::coloured(Colour::Red))), "\x1b[31ma\x1b[0m");
    }
}
