//! Questions of tools, asked in lines: how they look, and what a typed line answers.

use mm_tools::output::visible;
use mm_tools::{Question, QuestionKind};
use serde_json::Value;

/// The question with its numbered options.
pub(super) fn shown(question: &Question) -> String {
    let mut lines = String::new();
    for (n, line) in visible(&question.text).lines().enumerate() {
        lines.push_str(&format!(" {} {line}\n", if n == 0 { "?" } else { " " }));
    }
    for (at, option) in question.options.iter().enumerate() {
        let is_default = match &question.default {
            Some(Value::Array(several)) => several.iter().any(|one| one == option),
            Some(one) => one == option,
            None => false,
        };
        let mark = if is_default { " (default)" } else { "" };
        lines.push_str(&format!("   {}) {}{mark}\n", at + 1, visible(option).replace('\n', " ")));
    }
    lines
}

/// What stands where the answer is typed.
pub(super) fn prompt(question: &Question) -> String {
    let how = match question.kind {
        QuestionKind::Choose => "a number, or your own words",
        QuestionKind::ChooseMany => "numbers such as 1,3, or your own words",
        QuestionKind::Text => "your answer",
        QuestionKind::YesNo => "[y]es or [n]o",
    };
    let enter = match (&question.default, question.kind) {
        (Some(Value::Bool(yes)), _) => format!("Enter: {}", if *yes { "yes" } else { "no" }),
        (Some(Value::String(text)), QuestionKind::Text) => {
            format!("Enter: {}", visible(text).replace('\n', " "))
        }
        (Some(_), _) => "Enter: the default".to_owned(),
        (None, _) => "Enter: no answer".to_owned(),
    };
    format!("   {how}; {enter}: ")
}

/// Reads a typed line; `None` asks again.
pub(super) fn answer(question: &Question, line: &str) -> Option<Value> {
    let line = line.trim();
    if line.is_empty() {
        return Some(question.default.clone().unwrap_or_default());
    }
    match question.kind {
        QuestionKind::Text => Some(line.into()),
        QuestionKind::YesNo => match line.to_lowercase().as_str() {
            "y" | "yes" => Some(true.into()),
            "n" | "no" => Some(false.into()),
            _ => None,
        },
        QuestionKind::Choose => one(&question.options, line).map(Value::from),
        QuestionKind::ChooseMany => several(&question.options, line).map(Value::from),
    }
}

/// The option of a number or a text, else the user's own words; a number that there is not is a slip.
fn one(options: &[String], typed: &str) -> Option<String> {
    if let Ok(number) = typed.parse::<usize>() {
        let at = number.checked_sub(1);
        let named = || options.iter().find(|option| *option == typed);
        return at.and_then(|at| options.get(at)).or_else(named).cloned();
    }
    let named = options.iter().find(|option| option.to_lowercase() == typed.to_lowercase());
    Some(named.cloned().unwrap_or_else(|| typed.to_owned()))
}

fn several(options: &[String], typed: &str) -> Option<Vec<String>> {
    let is_list = typed.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ' | ';'));
    let parts: Vec<&str> = match is_list {
        true => typed.split([',', ' ', ';']).filter(|part| !part.is_empty()).collect(),
        // Options may have commas themselves.
        false if options.iter().any(|option| option.to_lowercase() == typed.to_lowercase()) => vec![typed],
        false => typed.split(',').map(str::trim).filter(|part| !part.is_empty()).collect(),
    };
    let mut chosen: Vec<String> = Vec::new();
    for part in parts {
        let option = one(options, part)?;
        if !chosen.contains(&option) {
            chosen.push(option);
        }
    }
    (!chosen.is_empty()).then_some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn question(kind: QuestionKind, options: &[&str], default: Option<Value>) -> Question {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        Question { text: "Which one?\nThink.".into(), kind, options, default }
    }

    #[test]
    fn a_typed_line_answers_as_the_kind_asks() {
        use QuestionKind::{Choose, ChooseMany, Text, YesNo};
        let colours: &[&str] = &["red", "blue", "dark, green"];
        let again = None;
        let rows = [
            (Choose, colours, None, "2", Some(json!("blue"))),
            (Choose, colours, None, " RED ", Some(json!("red"))),
            (Choose, colours, None, "pink", Some(json!("pink"))),
            (Choose, colours, None, "4", again.clone()),
            (Choose, colours, None, "0", again.clone()),
            (Choose, colours, None, "", Some(json!(null))),
            (Choose, colours, Some(json!("blue")), "", Some(json!("blue"))),
            (Choose, &["10", "20"], None, "20", Some(json!("20"))),
            (ChooseMany, colours, None, "1,3", Some(json!(["red", "dark, green"]))),
            (ChooseMany, colours, None, "3 1 1", Some(json!(["dark, green", "red"]))),
            (ChooseMany, colours, None, "Blue, pink", Some(json!(["blue", "pink"]))),
            (ChooseMany, colours, None, "dark, green", Some(json!(["dark, green"]))),
            (ChooseMany, colours, None, "1,9", again.clone()),
            (ChooseMany, colours, None, ",", again.clone()),
            (ChooseMany, colours, Some(json!(["red"])), "", Some(json!(["red"]))),
            (Text, &[], None, " Ada L. ", Some(json!("Ada L."))),
            (Text, &[], Some(json!("Bob")), "", Some(json!("Bob"))),
            (YesNo, &[], None, "Y", Some(json!(true))),
            (YesNo, &[], None, "no", Some(json!(false))),
            (YesNo, &[], None, "perhaps", again),
            (YesNo, &[], Some(json!(false)), "", Some(json!(false))),
        ];
        for (kind, options, default, line, expected) in rows {
            let question = question(kind, options, default);
            assert_eq!(answer(&question, line), expected, "{line:?} to {question:?}");
        }
    }

    #[test]
    fn a_question_shows_its_options_and_what_enter_means() {
        let default = Some(json!("blue"));
        let colour = question(QuestionKind::Choose, &["red\u{1b}[2J", "blue"], default);
        let expected = " ? Which one?\n   Think.\n   1) red\\u{1b}[2J\n   2) blue (default)\n";
        assert_eq!(shown(&colour), expected);
        assert_eq!(prompt(&colour), "   a number, or your own words; Enter: the default: ");
        let rows = [
            (QuestionKind::Text, None, "   your answer; Enter: no answer: "),
            (QuestionKind::Text, Some(json!("Ada")), "   your answer; Enter: Ada: "),
            (QuestionKind::YesNo, Some(json!(true)), "   [y]es or [n]o; Enter: yes: "),
            (QuestionKind::ChooseMany, None, "   numbers such as 1,3, or your own words; Enter: no answer: "),
        ];
        for (kind, default, expected) in rows {
            assert_eq!(prompt(&question(kind, &["a"], default)), expected);
        }
    }
}
