use super::*;

#[test]
fn every_object_of_the_file_is_closed_and_every_key_is_described() {
    fn walk(path: &str, schema: &Value) {
        if let Some(properties) = schema["properties"].as_object().filter(|_| path != ".sampling") {
            assert_eq!(schema["additionalProperties"], false, "{path}");
            for (name, key) in properties {
                assert!(key["description"].is_string(), "{path}.{name}");
                walk(&format!("{path}.{name}"), key);
            }
        }
        walk_inner(path, &schema["items"]);
        walk_inner(path, &schema["additionalProperties"]);
        for form in schema["anyOf"].as_array().into_iter().flatten() {
            walk_inner(path, form);
        }
    }
    fn walk_inner(path: &str, schema: &Value) {
        if schema.is_object() && !schema["required"].is_array() {
            walk(&format!("{path}[]"), schema);
        }
    }
    walk("", &json_schema());
}

#[test]
fn bounds_and_defaults_are_those_of_the_loader() {
    let schema = json_schema();
    let at = |path: &str| schema.pointer(path).unwrap().clone();
    assert_eq!(at("/properties/context/properties/threshold/minimum"), 1);
    assert_eq!(at("/properties/context/properties/threshold/maximum"), 100);
    assert_eq!(at("/properties/context/properties/threshold/default"), 75);
    assert_eq!(at("/properties/maxTurns/minimum"), 1);
    assert_eq!(at("/properties/bashTimeout/default"), "30s");
    assert_eq!(at("/properties/sampling/properties/max_tokens/default"), 4096);
    assert_eq!(at("/properties/provider/default"), "dmr");
}

#[test]
fn variables_have_the_path_in_upper_snake_case() {
    for (path, name) in [
        ("bashTool", "MM_BASH_TOOL"),
        ("context.threshold", "MM_CONTEXT_THRESHOLD"),
        ("agentsMd.maxChars", "MM_AGENTS_MD_MAX_CHARS"),
        ("sampling.top_p", "MM_SAMPLING_TOP_P"),
        ("mcp.discovery.useBm25", "MM_MCP_DISCOVERY_USE_BM25"),
    ] {
        assert_eq!(variable(path), name);
        assert!(scalar_keys().iter().any(|key| key.path == path), "{path}");
    }
    let keys = scalar_keys();
    let names: std::collections::BTreeSet<_> = keys.iter().map(|key| &key.variable).collect();
    assert_eq!(names.len(), keys.len(), "no two keys share a variable");
}
