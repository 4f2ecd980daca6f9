//! Rules of Go declarations by tables; random blocks; hostile ones.

mod cases;
mod hostile;

use serde_json::{Value, json};

use super::*;

fn told(block: &str) -> String {
    match translate(block) {
        Ok(schema) => schema.value().to_string(),
        Err(error) => error.to_string().replace("structuredOutput:", ""),
    }
}

/// What is refused: the whole text is what a user reads.
#[test]
fn errors_say_what_to_write_instead() {
    let rows = [
        ("", " no var declaration: name the root of the answer, as in var Answer = []string{}"),
        ("func f() {}", "1:1: func is not allowed: only type and var declarations are"),
        ("hello", "1:1: expected a type or var declaration, not hello"),
        ("type A = int", "1:6: A is an alias, which has no schema of its own: leave out the ="),
        ("type A[T any] []T", "1:6: A is generic: declare a type for each use, without parameters"),
        ("type A struct { time.Time }", "1:17: an embedded field has no key: give it a name"),
        ("type A [3]int", "1:8: an array has a fixed size, which no schema keeps: write a slice, []T"),
        ("var X map[int]int", "1:11: the keys of JSON are text: write map[string]T"),
        ("var X interface{}", "1:7: an interface has no schema: write a struct, a map or a basic type"),
        ("var X <-chan int", "1:7: a channel has no schema: write a slice, []T"),
        ("var X func()", "1:7: a function has no schema: leave it out"),
        ("var X time.Time", "1:7: time.Time is a type of another package: declare it here"),
        ("var X time.`a\nb`", "1:7: time.… is a type of another package: declare it here"),
        ("var X List[int]", "1:7: List[…] is generic: declare a type for this use"),
        ("var X []Missing", "1:9: there is no type Missing: declare it in this block"),
        ("type City int\nvar X Citi", "2:7: there is no type Citi: did you mean City?"),
        ("var X any", "1:7: any has no schema: write a struct, a map or a basic type"),
        ("var X []byte", "1:9: byte has no schema: write uint8"),
        ("var X *int", "1:7: a pointer stands only for a field that may be null: leave out the *"),
        ("type A int; type A int", "1:18: A is declared twice: rename one of them"),
        (
            "var X struct { A int; B int `json:\"A\"` }",
            "1:23: the key \"A\" is used twice in this struct: give one of them another json tag",
        ),
        ("type A struct { A A }", "1:6: A contains itself without end: put a *, a [] or a map between"),
        ("var X int; var Y int", "1:16: Y is a second var: only one names the root of the answer"),
        ("var X = 5", "1:5: X has no type: write var X T, or an empty literal of T"),
        ("var X = []int{1}", "1:15: the literal must be empty, as in []string{}"),
        ("var X int = 5", "1:13: the value must be an empty literal of the type before the =: leave it out"),
        (
            "type string int; var X map[string]int",
            "1:28: string is declared here: the keys of a map must be Go's own string",
        ),
        ("type A", "1:7: expected a type, but the line ends"),
        ("type A struct {", "1:16: expected a field or }, but the block ends"),
        ("var X int \"x\"", "1:11: expected the end of the line, but there is a string"),
        ("var\u{a0}X int", "1:4: this character means nothing in Go (U+00A0): expected the name of a var"),
        ("type A struct { N int `json }", "1:23: the string is not closed"),
        (
            "var X struct { N int \"\\q\" }",
            "1:22: the tag has an escape that Go does not know: write it between backquotes",
        ),
        ("var X int /* open", "1:11: the comment is not closed"),
    ];
    for (block, expected) in rows {
        assert_eq!(told(block), expected, "{block}");
    }
}

/// Where the rules leave room, or a place is easily off by one.
#[test]
fn places_are_those_of_go() {
    let rows = [
        // A line end stands at its newline, behind blanks; or at the comment before it.
        ("type A  \nvar X int\n", "1:9"),
        ("type A // c\nvar X int\n", "1:8"),
        ("type A /* c */ // d\nvar X int\n", "1:8"),
        ("type A /* c\n */ int\n", "1:8"),
        // The end of a block is behind its last token.
        ("type A struct {\n\tX int  // c\n\n// d\n", "2:7"),
        ("type A // c", "1:7"),
        ("var X =  \r\n\n", "1:8"),
        // A stray semicolon.
        (";", "1:1"),
        ("var X int;;", "1:11"),
        ("type A struct { ; }", "1:17"),
        // What cannot be read comes before what names mean, wherever it stands.
        ("type A Missing\ntype A int\nvar X, Y int\nvar Z [2]int", "4:7"),
        ("var X, Y Missing\ntype A A", "1:8"),
        // Embedded, array and generic look alike at first.
        ("type A struct { B[int] }", "1:17"),
        ("type A struct { B[int] `x` }", "1:17"),
        ("type A struct { B [int]C }", "1:19"),
        ("type A struct { B [3]int }", "1:19"),
        ("type A struct { B List[int] }", "1:19"),
        ("type A struct { *B }", "1:17"),
        ("type A struct { (B) }", "1:17"),
        ("type A struct { B, c.D }", "1:21"),
        ("type A[T interface{}] struct{}", "1:6"),
        ("type A[T, U any] struct{}", "1:6"),
        ("type A[N]int", "1:7"),
        ("type A [N*2]int", "1:8"),
        ("var X [...]int", "1:7"),
        ("var X = [...]int{}", "1:9"),
        // A pointer stands for the whole type of a field, once.
        ("type A struct { N *(*int) }", "1:21"),
        ("type A struct { N (**int) }", "1:21"),
        ("type A struct { N []*int }", "1:21"),
        // Values.
        ("var X = []time.Time{}", "1:11"),
        ("var X = []time.Time(nil)", "1:5"),
        ("var X = List[int]{}", "1:9"),
        ("var X = []int{}[0]", "1:5"),
        ("var X = []int{}.y", "1:5"),
        ("var X = (T){}", "1:5"),
        ("var X = func() {}", "1:5"),
        ("var X = ", "1:8"),
        ("var X []int = []string{}", "1:15"),
        ("var X []int = []int(nil)", "1:15"),
        ("var X []int = []int{}[0]", "1:15"),
        ("var X []int = []int{1}", "1:21"),
        ("var X int = []time.Time{}", "1:13"),
        ("var X = []int{}, []int{}", "1:18"),
        ("var X, Y = []int{}, 5", "1:5"),
        ("var X = []int{", "1:15"),
        ("var X = [", "1:10"),
        ("var X, Y = []int{}, []int{}", "1:8"),
        // Circles: the first type that is part of one, not one that leads there.
        ("type A struct { B B }\ntype B struct { C C }\ntype C struct { B B }\nvar X A", "2:6"),
        ("type A struct { X struct { A A } }\nvar X A", "1:6"),
        ("type A B\ntype B struct { A A }\nvar X int", "1:6"),
        ("var X struct { A int `json:\"a\"`; B, C int `json:\"b\"` }", "1:37"),
        ("type A struct { T time.Time `json:\"-\"` }", "1:19"),
        ("type A struct { T Missing `json:\"-\"` }", "1:19"),
        ("var X map[*int]int", "1:11"),
        ("var X map[(int)]int", "1:11"),
        // Marks that Go's letters do not hold.
        ("type A\u{301} int", "1:7"),
        ("type Ⅷ int", "1:6"),
        ("type A int\0", "1:11"),
    ];
    for (block, expected) in rows {
        let told = told(block);
        assert!(told.starts_with(&format!("{expected}: ")), "{block}\n{told}\n{expected}");
    }
}

#[test]
fn what_go_accepts_is_accepted() {
    let rows = [
        ("\u{feff}var X int", json!({"type": "integer"})),
        (
            "var X (map[(string)](int))",
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        ),
        ("var (X int)", json!({"type": "integer"})),
        ("type ()\nvar X []int = []int{\n}\n", json!({"type": "array", "items": {"type": "integer"}})),
        ("var X = map[string]int {}", json!({"type": "object", "additionalProperties": {"type": "integer"}})),
        (
            "type int string; var X []int",
            json!({"type": "array", "items": {"$ref": "#/$defs/int"}, "$defs": {"int": {"type": "string"}}}),
        ),
        // A type that only a field without a key leads to is not reached, and makes no circle.
        (
            "type A struct { A A `json:\"-\"` }; var X A",
            json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false}),
        ),
        ("var x١ bool", json!({"type": "boolean"})),
    ];
    for (block, expected) in rows {
        assert_eq!(translate(block).map(Schema::into_value), Ok(expected), "{block}");
    }
}

#[test]
fn comments_describe_what_they_stand_at() {
    let rows = [
        ("N int; // beside", Some("beside")),
        ("N int /* no */ // beside", Some("beside")),
        ("N int /* no\n*/ // not beside", None),
        ("N int `x:\"y\"` // beside", Some("beside")),
        ("N struct {\n} // beside", Some("beside")),
        ("// above\n/* no */\n// more\nN int", Some("above\nmore")),
        ("// above\n/* no */ N int", Some("above")),
        ("/* no */ N int", None),
        ("// not above\n\n/* no */\nN int", None),
        ("M int // of M\n// above\nN int // beside", Some("above\nbeside")),
        ("M int /* of M\n*/\n// above\nN int", Some("above")),
        ("// of M\nM int; N int", None),
        ("N int\n// behind", None),
        ("N\u{20}int //\u{a0}\u{3000}wide\u{3000}", Some("wide")),
        ("//// slashes\nN int", Some("// slashes")),
    ];
    for (fields, expected) in rows {
        let block = format!("var X struct {{ // not above\n{fields}\n}}");
        let schema = translate(&block).unwrap().into_value();
        assert_eq!(schema["properties"]["N"]["description"].as_str(), expected, "{fields}");
    }
    let rows = [
        ("// no\nvar (\n// above\nX int // beside\n) // no", Some("above\nbeside")),
        ("var ( X int ) // no", None),
        ("var\n// no\nX int", None),
        ("// above\nvar X int", Some("above")),
    ];
    for (block, expected) in rows {
        let schema = translate(block).unwrap().into_value();
        assert_eq!(schema["description"].as_str(), expected, "{block}");
    }
}

#[test]
fn a_rust_type_that_contains_itself_is_referred_to_by_its_name() {
    #[derive(schemars::JsonSchema)]
    #[allow(dead_code)]
    struct Tree {
        name: String,
        children: Vec<Tree>,
    }
    let schema = crate::Schema::of::<Tree>();
    let expected = "#/$defs/Tree";
    assert_eq!(schema.value()["properties"]["children"]["items"]["$ref"], expected);
    assert_eq!(schema.value()["$defs"]["Tree"]["properties"]["children"]["items"]["$ref"], expected);
    let answers = crate::AnswerSchema::new(schema.value()).unwrap();
    assert!(answers.check(r#"{"name": "a", "children": [{"name": "b", "children": []}]}"#).is_ok());
    assert!(answers.check(r#"{"name": "a", "children": [{"name": 1, "children": []}]}"#).is_err());
}
