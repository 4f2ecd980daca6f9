//! What Go takes for a letter or a digit of a name: Unicode's categories, which std does not tell exactly.

use unicode_general_category::{GeneralCategory, get_general_category};

/// Whether a name may begin with it.
pub(super) fn is_letter(c: char) -> bool {
    use GeneralCategory::{LowercaseLetter, ModifierLetter, OtherLetter, TitlecaseLetter, UppercaseLetter};
    let letters = [LowercaseLetter, ModifierLetter, OtherLetter, TitlecaseLetter, UppercaseLetter];
    c == '_'
        || if c.is_ascii() { c.is_ascii_alphabetic() } else { letters.contains(&get_general_category(c)) }
}

/// Whether a name may go on with it.
pub(super) fn continues(c: char) -> bool {
    let is_digit = || get_general_category(c) == GeneralCategory::DecimalNumber;
    is_letter(c) || if c.is_ascii() { c.is_ascii_digit() } else { is_digit() }
}
