//! `structuredOutput`: Go declarations, with the places of their faults in the file.

use mm_schema::SchemaError;

use crate::{
    de::{Findings, Path},
    problem::{Fault, Place},
};

/// Checks the declarations; nothing but blanks is none.
pub(crate) fn check(block: &str, file: &str, findings: &Findings<'_>) {
    let path = Path::Top.key("structuredOutput");
    if block.trim().is_empty() || findings.is_faulty(&path) {
        return;
    }
    let Err(error) = mm_schema::translate(block) else { return };
    let entry = findings.root.entry("structuredOutput");
    if entry.is_some_and(|entry| entry.value.layer().is_some()) {
        return findings.broken(&path, &format!(": {error}"));
    }
    let place = entry.and_then(|entry| in_file(entry.place, file, block, &error));
    let folded = entry.is_some_and(|entry| style(entry.place, file) == Some('>'));
    let message = match place {
        Some(place) => format!("{error} (line {} of the file)", place.line),
        None if folded => format!("{error} (YAML joins the lines of a block that begins with >: write |)"),
        None => error.to_string(),
    };
    let start = entry.and_then(|entry| entry.value.place());
    findings.push(&path, Fault::rule(place.or(start), path.to_string(), message));
}

/// Where a line and column of a literal block are in the file, by the place of its key. Other styles of YAML fold lines
/// or escape characters.
fn in_file(key: Place, file: &str, block: &str, error: &SchemaError) -> Option<Place> {
    let (line, column) = (error.line()?, error.column()?);
    style(key, file).filter(|style| *style == '|')?;
    let mut rows = file.lines().skip(key.line as usize);
    let content = block.lines().nth(line - 1).unwrap_or_default();
    let indent = rows.nth(line - 1).and_then(|row| row.strip_suffix(content)).map_or(0, str::len);
    let before = content.get(..column - 1).map_or(column - 1, |before| before.chars().count());
    Some(Place::new(key.line as usize + line, indent + before + 1))
}

/// The sign that a value begins with, by the place of its key: behind a tag and an anchor.
fn style(key: Place, file: &str) -> Option<char> {
    let row = file.lines().nth(key.line as usize - 1)?.split_once(':')?.1;
    row.split_whitespace().find(|word| !word.starts_with(['!', '&']))?.chars().next()
}

#[cfg(test)]
mod tests {
    use crate::{Environment, Overrides, Report};

    /// Rows of (file, message, line, column).
    #[test]
    fn a_fault_has_its_place_in_the_block_and_in_the_file() {
        let pointer = "a pointer stands only for a field that may be null: leave out the *";
        let rows = [
            (
                "model: m\nstructuredOutput: |\n  type A struct {\n    É, N  []*int\n  }\n  var X A\n",
                format!("structuredOutput:2:12: {pointer} (line 4 of the file)"),
                Some((4, 13)),
            ),
            (
                "structuredOutput: |- # the shape\n\n  // a list\n  var X []*int",
                format!("structuredOutput:3:9: {pointer} (line 4 of the file)"),
                Some((4, 11)),
            ),
            ("structuredOutput: 'var X []*int'", format!("structuredOutput:1:9: {pointer}"), Some((1, 19))),
            (
                "structuredOutput: >\n  var X []*int",
                format!(
                    "structuredOutput:1:9: {pointer} (YAML joins the lines of a block that begins with >: write |)"
                ),
                Some((2, 3)),
            ),
            (
                "structuredOutput: var X []*int # | y",
                format!("structuredOutput:1:9: {pointer}"),
                Some((1, 19)),
            ),
            (
                "structuredOutput: &a#b !!str |\n  var X []*int",
                format!("structuredOutput:1:9: {pointer} (line 2 of the file)"),
                Some((2, 11)),
            ),
            (
                "structuredOutput: |\n  type A struct {",
                "structuredOutput:1:16: expected a field or }, but the block ends (line 2 of the file)"
                    .into(),
                Some((2, 18)),
            ),
        ];
        for (file, message, place) in rows {
            let report = Report::of_yaml(file, "a.yaml", &Environment::default(), &Overrides::default());
            let [problem] = report.problems.as_slice() else { panic!("{file}: {:?}", report.problems) };
            assert_eq!(problem.message, message, "{file}");
            assert_eq!(problem.line.zip(problem.column), place, "{file}");
        }
    }

    #[test]
    fn a_variable_is_named_and_a_format_beside_it_is_left_out() {
        let env: Environment = [("MM_STRUCTURED_OUTPUT", "var X []strin")].into_iter().collect();
        let file = "structuredOutput: |\n  var X int\n";
        let report = Report::of_yaml(file, "a.yaml", &env, &Overrides::default());
        let [problem] = report.problems.as_slice() else { panic!("{:?}", report.problems) };
        assert_eq!(
            problem.message,
            "MM_STRUCTURED_OUTPUT=\"var X []strin\": structuredOutput:1:9: there is no type strin: did you mean string?"
        );
        let file = "structuredOutput: var X int\nsampling: {response_format: {type: text}}";
        let report = Report::of_yaml(file, "a.yaml", &Environment::default(), &Overrides::default());
        let words: Vec<&str> = report.warnings.iter().map(|warning| warning.words.as_str()).collect();
        assert_eq!(words, ["sampling.response_format is not sent: structuredOutput gives the format"]);
    }

    #[test]
    fn blanks_are_no_declarations() {
        let report = Report::of_yaml(
            "structuredOutput: |\n  \n",
            "a.yaml",
            &Environment::default(),
            &Overrides::default(),
        );
        assert_eq!(report.problems, []);
    }
}
