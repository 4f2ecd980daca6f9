//! Options and operands, in GNU's manner.

use super::Field;

/// Where the operands begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Options may stand behind operands.
    Any,
    /// The first operand ends the options: what follows is another program's.
    First,
}

/// The arguments of a program, told apart.
#[derive(Debug, Default)]
pub(super) struct Options<'f> {
    /// `x` for each letter of `-x`, or `--name`; with what stands behind it.
    given: Vec<(&'f str, Option<Field>)>,
    pub(super) operands: Vec<&'f Field>,
    /// With [`Order::First`]: the first operand and all behind it.
    pub(super) rest: &'f [Field],
}

impl<'f> Options<'f> {
    /// Reads arguments; `with_value` are the options that take one, such as `-n --name`.
    pub(super) fn read(args: &'f [Field], with_value: &str, order: Order) -> Self {
        let takes = |name: &str| with_value.split(' ').any(|option| option == name);
        let mut options = Self::default();
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            let text = arg.text();
            at += 1;
            if text == "--" {
                options.stop(args, at);
                break;
            }
            if !text.starts_with('-') || text == "-" {
                if order == Order::First {
                    options.stop(args, at - 1);
                    break;
                }
                options.operands.push(arg);
            } else if text.starts_with("--") {
                let (name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
                let mut value = value.map(Field::known);
                if value.is_none() && takes(name) {
                    value = args.get(at).cloned();
                    at += 1;
                }
                options.given.push((name, value));
            } else if takes(text) {
                options.given.push((text.trim_start_matches('-'), args.get(at).cloned()));
                at += 1;
            } else {
                for (place, letter) in text.char_indices().skip(1) {
                    let end = place + letter.len_utf8();
                    let name = text.get(place..end).unwrap_or_default();
                    let is_taken = |option: &str| option.strip_prefix('-') == Some(name);
                    if !with_value.split(' ').any(is_taken) {
                        options.given.push((name, None));
                        continue;
                    }
                    let behind = text.get(end..).filter(|text| !text.is_empty());
                    let value = behind.map(Field::known).or_else(|| args.get(at).cloned());
                    at += usize::from(behind.is_none());
                    options.given.push((name, value));
                    break;
                }
            }
        }
        options
    }

    fn stop(&mut self, args: &'f [Field], at: usize) {
        self.rest = args.get(at..).unwrap_or_default();
        self.operands.extend(self.rest);
    }

    /// Whether one of some options is given; long ones may be cut short.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.given.iter().any(|(given, _)| is_short_for(given, name)))
    }

    /// What stands behind the last one of some options.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Field> {
        let is_one = |given: &str| names.iter().any(|name| is_short_for(given, name));
        self.given.iter().rev().find(|(given, _)| is_one(given)).and_then(|(_, value)| value.as_ref())
    }

    /// What stands behind each of some options.
    pub(super) fn values(&self, names: &[&str]) -> impl Iterator<Item = &Field> {
        let is_one = move |given: &str| names.iter().any(|name| is_short_for(given, name));
        self.given.iter().filter(move |(given, _)| is_one(given)).filter_map(|(_, value)| value.as_ref())
    }

    pub(super) fn operand(&self, at: usize) -> &'f str {
        self.operands.get(at).map(|field| field.text()).unwrap_or_default()
    }
}

fn is_short_for(given: &str, name: &str) -> bool {
    match name.strip_prefix("--") {
        Some(_) => given == name || (given.len() > 4 && name.starts_with(given)),
        None => name.strip_prefix('-') == Some(given),
    }
}
