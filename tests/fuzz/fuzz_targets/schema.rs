//! No block of declarations makes the translator panic; a fault has its place in the block, a schema can be used, and what
//! is found in a text fits it. The text is what stands behind a line `---`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mm_schema::{AnswerSchema, translate};

fuzz_target!(|input: &str| {
    let (block, text) = input.split_once("\n---\n").unwrap_or((input, input));
    match translate(block) {
        Ok(schema) => {
            let answers = AnswerSchema::new(schema.value()).unwrap();
            if let Some(found) = answers.find(text) {
                assert!(text.contains(found));
                answers.check(found).unwrap();
            }
            let _ = answers.check(text);
        }
        Err(error) => {
            assert!(!error.to_string().contains('\n'), "one line: {error}");
            if let (Some(line), Some(column)) = (error.line(), error.column()) {
                let length = block.split('\n').nth(line - 1).unwrap().len();
                assert!((1..=length + 1).contains(&column), "{error}");
            }
        }
    }
});
