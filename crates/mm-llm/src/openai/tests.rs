use std::time::Duration;

use futures_util::StreamExt;
use mm_schema::{ToolCall, ToolSpec};
use proptest::prelude::*;
use serde_json::{Value, json};
use wiremock::matchers::{body_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::testing::{Answer, End, Piece, ScriptedServer};
use crate::{ChatEvent, FinishReason, Message, Reply, preset};

fn options(base_url: String) -> OpenAiOptions {
    OpenAiOptions {
        base_url: Some(base_url),
        fallback: None,
        ..OpenAiOptions::new(preset("llamacpp").unwrap())
    }
}

async fn ask(provider: &OpenAi) -> (Reply, Option<ProviderError>) {
    let messages = [Message::User("hi".into())];
    let mut stream = provider.chat(&ChatRequest::new("m", &messages));
    let mut reply = Reply::default();
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => reply.push(&event),
            Err(error) => return (reply, Some(error)),
        }
    }
    (reply, None)
}

async fn ask_scripted(answer: Answer) -> (Reply, Option<ProviderError>) {
    let server = ScriptedServer::start([answer]).await.unwrap();
    ask(&OpenAi::new(options(server.base_url())).unwrap()).await
}

fn chunk(delta: Value) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
}

fn finish(reason: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
}

#[tokio::test]
async fn an_ordinary_answer_over_ordinary_http() {
    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .and(path("/v1/models"))
        .respond_with(ResponseTemplate::new(200))
        .mount(&server)
        .await;
    let expected = json!({
        "model": "m", "messages": [{"role": "user", "content": "hi"}],
        "stream": true, "stream_options": {"include_usage": true}, "return_progress": true
    });
    let body = [
        chunk(json!({"role": "assistant", "content": null})),
        chunk(json!({"content": "he"})),
        chunk(json!({"content": "llo"})),
        finish("stop"),
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":33,\"completion_tokens\":12,\
         \"prompt_tokens_details\":{\"cached_tokens\":30}},\"timings\":{\"predicted_per_second\":50.5}}\n\n\
         data: [DONE]\n\n"
            .to_owned(),
    ]
    .concat();
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", "Bearer k"))
        .and(body_json(expected))
        .respond_with(ResponseTemplate::new(200).set_body_raw(body, "text/event-stream"))
        .expect(1)
        .mount(&server)
        .await;
    let options =
        OpenAiOptions { api_key: Some(ApiKey::new("k")), ..options(format!("{}/v1/", server.uri())) };
    let (reply, error) = ask(&OpenAi::new(options).unwrap()).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(reply.text, "hello");
    assert_eq!(reply.finish, Some(FinishReason::Stop));
    let usage = reply.usage.unwrap();
    assert_eq!((usage.prompt, usage.cached, usage.completion), (Some(33), Some(30), Some(12)));
    assert_eq!(usage.tokens_per_second, Some(50.5));
}

/// Rows of (body, what comes of it): text, reasoning, calls as `name(arguments)`, the error.
#[tokio::test]
async fn every_odd_stream_is_read_or_told() {
    let text = |t: &str| chunk(json!({"content": t}));
    let call = |index: Value, id: Value, name: Value, arguments: Value| {
        chunk(json!({"tool_calls": [{"index": index, "id": id, "type": "function",
            "function": {"name": name, "arguments": arguments}}]}))
    };
    let n = || Value::Null;
    let done = || finish("stop") + "data: [DONE]\n\n";
    let rows: Vec<(&str, String, &str)> = vec![
        ("finish without [DONE]", text("a") + &finish("stop"), "a"),
        ("[DONE] without finish", text("a") + "data: [DONE]\n\n", "a"),
        ("last event without blank line", text("a") + finish("stop").trim_end(), "a"),
        ("bytes after [DONE]", text("a") + &done() + &text("b"), "a"),
        ("odd finish", text("a") + &finish("eos") + "data: [DONE]\n\n", "a"),
        ("finish empty", text("a") + &finish("") + &text("b") + &done(), "ab"),
        (
            "usage odd",
            "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":{}}\n\n\
          data: {\"choices\":null,\"usage\":null,\"x\":1}\n\n"
                .to_owned()
                + &done(),
            "a",
        ),
        ("parts", chunk(json!({"content": [{"type": "text", "text": "a"}, {"type": "x"}]})) + &done(), "a"),
        ("pings", ":\n\n".to_owned() + &text("a") + ":\n\n" + &done(), "a"),
        (
            "reasoning_content",
            chunk(json!({"reasoning_content": "r", "content": null})) + &text("a") + &done(),
            "r|a",
        ),
        ("reasoning", chunk(json!({"reasoning": "r", "content": ""})) + &text("a") + &done(), "r|a"),
        ("think tags", text("<thi") + &text("nk>r</th") + &text("ink>\n\na") + &done(), "r|a"),
        ("closing tag only", text("r\n</think>\n") + &text("a") + &done(), "r\n|a"),
        ("cut", text("a"), "a!the stream ended before the model finished"),
        (
            "error event",
            text("a") + "data: {\"error\":{\"code\":500,\"message\":\"boom\"}}\n\n",
            "a!the server reports: boom",
        ),
        ("error text", "data: {\"error\":\"boom\"}\n\n".into(), "!the server reports: boom"),
        (
            "error: null is none",
            "data: {\"error\":null,\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n".to_owned() + &done(),
            "a",
        ),
        (
            "vLLM error",
            "data: {\"object\":\"error\",\"message\":\"boom\"}\n\n".into(),
            "!the server reports: boom",
        ),
        (
            "JSON error body",
            "{\"error\": {\"message\": \"overloaded\"}}".into(),
            "!the server reports: overloaded",
        ),
        (
            "whole body",
            json!({"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}).to_string(),
            "a",
        ),
        ("whole body, no reason", json!({"choices": [{"message": {"content": "a"}}]}).to_string(), "a"),
        (
            "other JSON",
            "{\"hello\": 1}".into(),
            "!the server sent something that is no answer: {\"hello\": 1}",
        ),
        (
            "no JSON",
            "data: hello\n\n".into(),
            "!the server sent something that is no chunk of an answer: hello",
        ),
        ("HTML", "<html>hi</html>".into(), "!the server's answer is no event stream: <html>hi</html>"),
        ("half an event", "data: {\"choices\":[{\"del".into(), "!the stream ended before the model finished"),
        ("nothing", String::new(), "!the server sent an empty answer"),
        ("white space", "\n\n".into(), "!the server sent an empty answer"),
        (
            "call",
            call(json!(0), json!("a"), json!("bash"), json!("{\"c\""))
                + &call(json!(0), n(), n(), json!(":1}"))
                + &done(),
            "bash#a({\"c\":1})",
        ),
        (
            "arguments as object",
            call(json!(0), json!("a"), json!("bash"), json!({"c": 1})) + &done(),
            "bash#a({\"c\":1})",
        ),
        (
            "name repeated",
            call(json!(0), json!("a"), json!("bash"), json!("{\"c\""))
                + &call(json!(0), json!("a"), json!("bash"), json!(":1}"))
                + &done(),
            "bash#a({\"c\":1})",
        ),
        (
            "interleaved",
            call(json!(0), json!("a"), json!("x"), json!(""))
                + &call(json!(1), json!("b"), json!("y"), json!(""))
                + &call(json!(0), n(), n(), json!("{}"))
                + &call(json!(1), n(), n(), json!("{ }"))
                + &done(),
            "x#a({})y#b({ })",
        ),
        (
            "no index, by id",
            call(n(), json!("a"), json!("x"), json!("{\"c\""))
                + &call(n(), n(), n(), json!(":1}"))
                + &call(n(), json!("b"), json!("y"), json!("{"))
                + &call(n(), json!("b"), n(), json!("}"))
                + &done(),
            "x#a({\"c\":1})y#b({})",
        ),
        (
            "neither index nor id",
            call(n(), n(), json!("x"), json!("{}")) + &call(n(), n(), json!("y"), json!("{}")) + &done(),
            "x#?({})y#?({})",
        ),
        (
            "index always 0",
            call(json!(0), json!("a"), json!("x"), json!("{}"))
                + &call(json!(0), json!("b"), json!("y"), json!("{}"))
                + &done(),
            "x#a({})y#b({})",
        ),
        (
            "index always 0, no id",
            call(json!(0), n(), json!("x"), json!("{}"))
                + &call(json!(0), n(), json!("y"), json!("{}"))
                + &done(),
            "x#?({})y#?({})",
        ),
        (
            "ids null and empty",
            call(json!(0), n(), json!("x"), json!(""))
                + &call(json!(0), n(), n(), json!("{}"))
                + &call(json!(1), json!(""), json!("y"), json!("{}"))
                + &done(),
            "x#?({})y#?({})",
        ),
        (
            "the same id twice",
            call(json!(0), json!("a"), json!("x"), json!("{}"))
                + &call(json!(1), json!("a"), json!("y"), json!("{}"))
                + &done(),
            "x#a({})y#?({})",
        ),
        (
            "the same id twice, no index",
            call(n(), json!("a"), json!("x"), json!("{}"))
                + &call(n(), json!("a"), json!("y"), json!("{}"))
                + &done(),
            "x#a({})y#?({})",
        ),
    ];
    for (title, body, expected) in rows {
        let (reply, error) = ask_scripted(Answer::events(&body).ending(End::Close)).await;
        assert_eq!(told(&reply, error.as_ref()), expected, "{title}");
        if expected.contains('#') {
            assert_eq!(reply.finish, Some(FinishReason::ToolCalls), "{title}");
        }
    }
}

/// An odd field costs what it holds and nothing beside it.
#[tokio::test]
async fn an_odd_field_is_passed_over() {
    let (hello, done) = (chunk(json!({"content": "hello"})), finish("stop") + "data: [DONE]\n\n");
    let empty = [
        r#"{"choices":[{"delta":{"tool_calls":""}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":{}}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[null]}}]}"#,
        r#"{"choices":[{"delta":{},"message":"x"}]}"#,
        r#"{"choices":[null]}"#,
        r#"{"choices":{}}"#,
        r#"{"choices":"x"}"#,
        r#"{"choices":[{"delta":"str"}]}"#,
        r#"{"error":false,"choices":[]}"#,
        r#"{"error":"","choices":[]}"#,
        r#"{"timings":{"prompt_n":18446744073709551615,"cache_n":18446744073709551615}}"#,
    ];
    for data in empty {
        let (reply, error) = ask_scripted(Answer::events(&format!("{hello}data: {data}\n\n{done}"))).await;
        assert!(error.is_none(), "{data}: {error:?}");
        assert_eq!((reply.text.as_str(), reply.calls.len()), ("hello", 0), "{data}");
    }
    let texts = [
        ("{\"choices\":[{\"delta\":{\"content\":\"a\tb\u{1}\"}}]}", "a\tb\u{1}"),
        (r#"{"choices":[{"delta":{"content":"x\ud83d"}}]}"#, "x\u{fffd}"),
        (
            r#"{"choices":[{"delta":{"content":"NaN 1e999"}}],"timings":{"predicted_per_second":NaN}}"#,
            "NaN 1e999",
        ),
        (
            r#"{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1e999,"x":[-Infinity,true]}}"#,
            "a",
        ),
        (r#"{"choices":[{"delta":{"content":"\ude00\ud83d\ude00\"\n"}}]}"#, "\u{fffd}😀\"\n"),
        (r#"{"choices":[{"delta":{"tool_calls":7,"content":"\u00e9"}}]}"#, "é"),
    ];
    for (data, expected) in texts {
        let (reply, error) = ask_scripted(Answer::events(&format!("data: {data}\n\n{done}"))).await;
        assert!(error.is_none(), "{data}: {error:?}");
        assert_eq!(reply.text, expected, "{data}");
    }
}

#[tokio::test]
async fn a_reply_of_calls_without_end_is_an_error() {
    let calls: Vec<Value> = (0..1001)
        .map(|n| json!({"index": n, "id": format!("c{n}"), "function": {"name": "bash", "arguments": "{}"}}))
        .collect();
    let (_, error) = ask_scripted(Answer::events(&chunk(json!({ "tool_calls": calls })))).await;
    assert_eq!(error.unwrap().to_string(), "the model calls more than 1000 tools in one reply");
}

/// Comments keep a connection alive, not an answer that is over.
#[tokio::test]
async fn a_finished_answer_does_not_wait_for_comments_to_end() {
    let pings = (0..40).map(|_| Piece { wait: Duration::from_millis(100), bytes: b": ping\n\n".to_vec() });
    let mut answer = Answer::events(&(chunk(json!({"content": "a"})) + &finish("stop"))).ending(End::Hold);
    answer.pieces.extend(pings);
    let server = ScriptedServer::start([answer]).await.unwrap();
    let provider = OpenAi::new(options(server.base_url())).unwrap();
    let asked = tokio::time::timeout(Duration::from_millis(3500), ask(&provider));
    let (reply, error) = asked.await.expect("it ends before the comments do");
    assert!(error.is_none(), "{error:?}");
    assert_eq!(reply.text, "a");
}

#[tokio::test]
async fn a_compressed_answer_is_named() {
    let mut answer = Answer::events("\u{1f}\u{8b}");
    answer.headers.push("Content-Encoding: gzip".into());
    let (_, error) = ask_scripted(answer).await;
    let expected = "the server compresses its answer, which was not asked for: Content-Encoding: gzip";
    assert_eq!(error.unwrap().to_string(), expected);
}

#[tokio::test]
async fn a_place_that_has_moved_is_told_as_a_base_url() {
    let rows =
        [("http://h/v2/chat/completions", "http://h/v2"), ("/new/v1/chat/completions?x=1", "{root}/new/v1")];
    for (location, base) in rows {
        let mut answer = Answer::json(301, "");
        answer.headers.push(format!("Location: {location}"));
        let server = ScriptedServer::start([answer]).await.unwrap();
        let (_, error) = ask(&OpenAi::new(options(server.base_url())).unwrap()).await;
        let base = base.replace("{root}", server.base_url().trim_end_matches("/v1"));
        let expected = format!("the server answered HTTP 301: it has moved to {base}: set baseUrl to that");
        assert_eq!(error.unwrap().to_string(), expected);
    }
}

#[tokio::test]
async fn a_list_of_models_is_a_list_or_an_error() {
    let rows = [
        (Answer::json(200, r#"{"data":[{"id":"m"}]}"#), "m"),
        (Answer::json(200, r#"{"data":[]}"#), ""),
        (
            Answer::json(401, r#"{"error":{"message":"no"}}"#),
            "the server answered HTTP 401: no (the key comes from the variable that apiKeyEnv names)",
        ),
        (Answer::json(500, "oops"), "the server answered HTTP 500: oops"),
        (Answer::json(200, "<html>"), "the server's answer to /models is no list of models: <html>"),
        (
            Answer::json(200, r#"{"models":1}"#),
            "the server's answer to /models is no list of models: {\"models\":1}",
        ),
    ];
    for (answer, expected) in rows {
        let server = ScriptedServer::start([]).await.unwrap().with_models(answer);
        let models = OpenAi::new(options(server.base_url())).unwrap().models().await;
        let told = models.map_or_else(
            |error| error.to_string(),
            |models| models.into_iter().map(|model| model.id).collect::<Vec<_>>().join(","),
        );
        assert_eq!(told, expected);
    }
}

/// Even where the server says it.
#[tokio::test]
async fn a_key_is_in_no_error() {
    let server = ScriptedServer::start([Answer::json(401, "bad key sk-verysecret")]).await.unwrap();
    let key = Some(ApiKey::new("sk-verysecret"));
    let provider = OpenAi::new(OpenAiOptions { api_key: key, ..options(server.base_url()) }).unwrap();
    let error = ask(&provider).await.1.unwrap().to_string();
    assert!(error.contains("bad key ***"), "{error}");
    let broken = OpenAiOptions { api_key: Some(ApiKey::new("a\nb")), ..options("http://h/v1".into()) };
    let error = OpenAi::new(broken).unwrap_err().to_string();
    assert!(error.starts_with("the API key holds a character that no HTTP header can carry"), "{error}");
}

#[tokio::test]
async fn a_proxy_is_named_where_it_is_used_and_ignored_where_it_is_not() {
    let proxies = ProxySettings { http: Some("ht tp://x".into()), ..ProxySettings::default() };
    let with = |url: &str, proxies: &ProxySettings| {
        OpenAi::new(OpenAiOptions { proxies: proxies.clone(), ..options(url.into()) })
    };
    assert!(with("http://127.0.0.1:1/v1", &proxies).is_ok(), "loopback needs none");
    let error = with("http://h.test/v1", &proxies).unwrap_err().to_string();
    assert!(error.starts_with("the proxy of HTTP_PROXY cannot be used: "), "{error}");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let dead = ProxySettings { http: Some(format!("http://127.0.0.1:{port}")), ..ProxySettings::default() };
    let error = ask(&with("http://h.test/v1", &dead).unwrap()).await.1.unwrap().to_string();
    let expected =
        "http://h.test/v1 (connection refused: nothing listens there, through the proxy of HTTP_PROXY)";
    assert!(error.contains(expected), "{error}");
}

fn told(reply: &Reply, error: Option<&ProviderError>) -> String {
    let mut told = String::new();
    if !reply.reasoning.is_empty() {
        told += &format!("{}|", reply.reasoning);
    }
    told += &reply.text;
    let ids: std::collections::HashSet<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids.len(), reply.calls.len(), "ids differ: {:?}", reply.calls);
    for call in &reply.calls {
        let id = if call.id.len() == 9 { "?" } else { &call.id };
        told += &format!("{}#{id}({})", call.name, call.arguments);
    }
    if let Some(error) = error {
        told += &format!("!{error}");
    }
    told
}

#[tokio::test]
async fn a_connection_that_breaks_off_is_told() {
    let answer = Answer::events(&chunk(json!({"content": "a"}))).ending(End::Reset);
    let (reply, error) = ask_scripted(answer).await;
    assert_eq!(reply.text, "a");
    let error = error.unwrap().to_string();
    assert!(error.starts_with("the connection broke off before the model finished"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_a_hint() {
    // A port that was just free: bound once and let go.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let base = format!("http://127.0.0.1:{port}/v1");
    let (_, error) = ask(&OpenAi::new(options(base.clone())).unwrap()).await;
    let expected = format!(
        "no server answers: {base} (connection refused: nothing listens there) — \
         start one with: llama-server -m MODEL.gguf --jinja --port {port}"
    );
    assert_eq!(error.unwrap().to_string(), expected);
}

#[tokio::test]
async fn the_fallback_serves_when_the_first_is_silent_for_two_seconds() {
    let silent = ScriptedServer::start([]).await.unwrap().with_models(Answer {
        status: None,
        pieces: vec![],
        ..Answer::events("").ending(End::Hold)
    });
    let second = ScriptedServer::start([Answer::text(&["from the second"])]).await.unwrap();
    let options = OpenAiOptions { fallback: Some(second.base_url()), ..options(silent.base_url()) };
    let provider = OpenAi::new(options).unwrap();
    let (reply, error) = ask(&provider).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(reply.text, "from the second");
    assert_eq!(silent.requests().len(), 1);
    assert_eq!(provider.endpoint().await.unwrap(), second.base_url());
}

#[tokio::test]
async fn any_answer_to_the_probe_counts() {
    let lists = [
        Answer::json(200, r#"{"object":"list","data":null}"#),
        Answer::json(200, "[]"),
        Answer::json(200, "not json"),
        Answer::json(503, r#"{"error":{"message":"Loading model","code":503}}"#),
        Answer::json(404, ""),
        Answer::json(200, &"x".repeat(5 << 20)),
    ];
    for list in lists {
        let server = ScriptedServer::start([Answer::text(&["ok"])]).await.unwrap().with_models(list);
        let (reply, error) = ask(&OpenAi::new(options(server.base_url())).unwrap()).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!(reply.text, "ok");
    }
}

#[tokio::test]
async fn the_served_window_is_told_and_the_trained_one_is_not() {
    let list = r#"{"data":[{"id":"m","meta":{"n_ctx":8192,"n_ctx_train":131072}}]}"#;
    let server = ScriptedServer::start([]).await.unwrap().with_models(Answer::json(200, list));
    let provider = OpenAi::new(options(server.base_url())).unwrap();
    assert_eq!(provider.context_window("any name").await, Some(8192));
    assert_eq!(provider.models().await.unwrap().len(), 1);
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let streaming = Answer::events(&chunk(json!({"content": "a"}))).ending(End::Hold);
    let queued = Answer { status: None, pieces: vec![], ..Answer::events("").ending(End::Hold) };
    let server = ScriptedServer::start([streaming, queued]).await.unwrap();
    let provider = OpenAi::new(options(server.base_url())).unwrap();
    let messages = [Message::User("hi".into())];
    let mut stream = provider.chat(&ChatRequest::new("m", &messages));
    assert_eq!(stream.next().await.unwrap().unwrap(), ChatEvent::Text("a".into()));
    drop(stream);
    server.closed(1).await;
    // The second is dropped while the server has not even sent a status line.
    let mut stream = provider.chat(&ChatRequest::new("m", &messages));
    tokio::select! {
        _ = stream.next() => panic!("nothing can come"),
        () = tokio::time::sleep(Duration::from_millis(100)) => {}
    }
    drop(stream);
    server.closed(2).await;
}

#[tokio::test]
async fn a_hundred_calls_share_one_connection() {
    let server = ScriptedServer::start((0..100).map(|_| Answer::text(&["ok"]))).await.unwrap();
    let provider = OpenAi::new(options(server.base_url())).unwrap();
    for _ in 0..100 {
        assert_eq!(ask(&provider).await.0.text, "ok");
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_server_that_comes_back_is_found_again() {
    let server = ScriptedServer::start([Answer::text(&["one"])]).await.unwrap();
    let base = server.base_url();
    let provider = OpenAi::new(options(base.clone())).unwrap();
    assert_eq!(ask(&provider).await.0.text, "one");
    drop(server);
    assert!(ask(&provider).await.1.is_some());
    let messages = [Message::User("hi".into())];
    let error = provider.chat(&ChatRequest::new("m", &messages)).next().await.unwrap().unwrap_err();
    assert!(error.is_connect(), "asked anew: {error}");
}

#[tokio::test]
async fn prompt_progress_becomes_events() {
    let body = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}],\
        \"prompt_progress\":{\"total\":5420,\"cache\":10,\"processed\":2048,\"time_ms\":7}}\n\n";
    let server = ScriptedServer::start([Answer::events(&(body.to_owned() + &finish("stop")))]).await.unwrap();
    let provider = OpenAi::new(options(server.base_url())).unwrap();
    let messages = [Message::User("hi".into())];
    let first = provider.chat(&ChatRequest::new("m", &messages)).next().await.unwrap().unwrap();
    assert_eq!(first, ChatEvent::PromptProgress { total: 5420, processed: 2048, cached: 10 });
}

#[test]
fn an_end_point_that_is_none_is_refused() {
    let rows = [
        ("127.0.0.1:1", "127.0.0.1:1 cannot be used as an end point: it must begin with http:// or https://"),
        (
            "localhost:8080/v1",
            "localhost:8080/v1 cannot be used as an end point: it must begin with http:// or https://",
        ),
        ("ftp://x/v1", "ftp://x/v1 cannot be used as an end point: it must begin with http:// or https://"),
        (
            "http://",
            "http:// cannot be used as an end point: empty host (it looks like http://127.0.0.1:8080/v1)",
        ),
        (
            "http://h/v1?key=x",
            "http://h/v1?key=x cannot be used as an end point: a path is put behind it: leave out what begins with ? or #",
        ),
        (
            "http://u:secret@h:99999/v1",
            "http://u:***@h:99999/v1 cannot be used as an end point: invalid port number (it looks like http://127.0.0.1:8080/v1)",
        ),
        (
            "u:secret@h/v1",
            "u:***@h/v1 cannot be used as an end point: it must begin with http:// or https://",
        ),
    ];
    for (url, expected) in rows {
        assert_eq!(OpenAi::new(options(url.into())).unwrap_err().to_string(), expected);
    }
}

#[test]
fn reserved_keys_are_dropped_and_others_pass_as_they_are() {
    let sampling = json!({
        "temperature": 0.0, "messages": [], "tools": [], "tool_choice": "none", "functions": [],
        "function_call": "x", "model": "other", "stream": false, "stream_options": {"x": 1},
        "chat_template_kwargs": {"enable_thinking": false}
    });
    let messages = [Message::System("s".into())];
    let Value::Object(sampling) = sampling else { unreachable!() };
    let request = ChatRequest { sampling, ..ChatRequest::new("m", &messages) };
    let ollama = body::body(&request, preset("ollama").unwrap(), &[]).unwrap();
    let expected = r#"{"model":"m","messages":[{"role":"system","content":"s"}],"stream":true,"temperature":0.0,"stream_options":{"x":1},"chat_template_kwargs":{"enable_thinking":false}}"#;
    assert_eq!(String::from_utf8(ollama).unwrap(), expected);
}

fn any_message() -> impl Strategy<Value = Message> {
    let call = ("[a-z]{3}", "[a-z]{2}", "\\PC{0,8}").prop_map(|(id, name, arguments)| ToolCall {
        id,
        name,
        arguments: json!({ "a": arguments }).to_string(),
    });
    prop_oneof![
        "\\PC{0,12}".prop_map(Message::User),
        ("\\PC{0,12}", prop::collection::vec(call, 0..3))
            .prop_map(|(text, calls)| Message::Assistant { text, calls }),
        ("[a-z]{3}", "\\PC{0,12}").prop_map(|(call_id, text)| Message::Tool { call_id, text }),
    ]
}

proptest! {
    /// A server finds its cached prompt by the bytes of the prefix.
    #[test]
    fn a_longer_conversation_begins_with_the_bytes_of_the_shorter(
        messages in prop::collection::vec(any_message(), 1..8), at in 0usize..8,
    ) {
        let at = at.min(messages.len());
        let tools = [ToolSpec { name: "t".into(), description: "d".into(), parameters: json!({"b": 1, "a": 2}) }];
        let body = |messages: &[Message]| {
            let request = ChatRequest { tools: &tools, ..ChatRequest::new("m", messages) };
            String::from_utf8(body::body(&request, preset("llamacpp").unwrap(), &[]).unwrap()).unwrap()
        };
        let (whole, again, part) = (body(&messages), body(&messages), body(&messages[..at]));
        prop_assert_eq!(&whole, &again);
        let prefix = part.split("],\"tools\"").next().unwrap();
        prop_assert!(whole.starts_with(prefix), "{} begins with {}", whole, prefix);
    }
}

#[tokio::test]
async fn a_stream_split_anywhere_gives_the_same_reply() {
    let body =
        chunk(json!({"reasoning_content": "é"})) + &chunk(json!({"content": "naïve 🍋"})) + &finish("stop");
    for at in 0..body.len() {
        let (a, b) = body.as_bytes().split_at(at);
        let mut decoder =
            decode::Decoder::new(Default::default(), decode::Wanted { tools: Arc::from([]), is_json: false });
        let mut sse = SseDecoder::default();
        for bytes in [a, b] {
            sse.push(bytes, |data| decoder.payload(data).unwrap()).unwrap();
        }
        decoder.end();
        let mut reply = Reply::default();
        decoder.take().iter().for_each(|event| reply.push(event));
        assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("naïve 🍋", "é"));
    }
    // And over a socket that gives a byte at a time.
    let pieces = body.bytes().map(|b| Piece { wait: Duration::ZERO, bytes: vec![b] }).collect();
    let (reply, error) = ask_scripted(Answer { pieces, ..Answer::events("") }).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(reply.text, "naïve 🍋");
}

#[tokio::test]
async fn a_finished_answer_on_a_connection_that_stays_open_is_an_answer() {
    let body = chunk(json!({"content": "a"})) + &finish("stop");
    let (reply, error) = ask_scripted(Answer::events(&body).ending(End::Hold)).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!((reply.text.as_str(), reply.finish), ("a", Some(FinishReason::Stop)));
}

#[tokio::test]
async fn a_password_in_a_url_is_not_shown() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (_, error) =
        ask(&OpenAi::new(options(format!("http://u:secret@127.0.0.1:{port}/v1"))).unwrap()).await;
    let error = error.unwrap().to_string();
    assert!(error.contains(&format!("http://u:***@127.0.0.1:{port}/v1")), "{error}");
}
