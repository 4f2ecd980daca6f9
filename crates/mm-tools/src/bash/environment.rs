//! The variables that keep programs from asking, paging and colouring.

/// An editor that fails and says why. Quoted so that programs which split it at spaces themselves, without
/// a shell, fail as well: an editor that quietly succeeded would accept an empty or unread text.
const EDITOR: &str =
    "sh -c 'echo no editor can be opened here: use an option such as -m or --no-edit >&2; exit 1' --";

const ADDITIONS: [(&str, &str); 11] = [
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // Empty: git asks no helper program with a window either.
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GIT_EDITOR", EDITOR),
    ("GIT_SEQUENCE_EDITOR", EDITOR),
    ("EDITOR", EDITOR),
    ("VISUAL", EDITOR),
];

pub(crate) fn additions() -> Vec<(String, String)> {
    ADDITIONS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}
