//! No bytes of a server make the decoder panic, and how they are cut into reads changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mm_llm::testing::decode;
use mm_llm::{ChatEvent, Reply};

/// The reply, and whether its stream was read to the end.
fn read(pieces: &[&[u8]]) -> (Reply, bool) {
    let mut reply = Reply::default();
    let mut finished = 0;
    let ended = decode(pieces.iter().copied(), |event: ChatEvent| {
        assert_eq!(finished, 0, "nothing comes behind the end");
        finished += usize::from(matches!(event, ChatEvent::Finished(_)));
        reply.push(&event);
    });
    assert_eq!(finished, usize::from(ended.is_ok()));
    let mut ids: Vec<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), reply.calls.len(), "no two calls share an id: {:?}", reply.calls);
    (reply, ended.is_ok())
}

fuzz_target!(|input: (u8, &[u8])| {
    let (step, bytes) = input;
    let (whole, whole_ended) = read(&[bytes]);
    let pieces: Vec<&[u8]> = bytes.chunks(usize::from(step).max(1)).collect();
    let (cut, cut_ended) = read(&pieces);
    assert_eq!(whole_ended, cut_ended);
    if whole_ended {
        assert_eq!((&whole.text, &whole.reasoning), (&cut.text, &cut.reasoning));
        // Ids that are made up differ.
        let bare = |reply: Reply| -> Vec<(String, String)> {
            reply.calls.into_iter().map(|call| (call.name, call.arguments)).collect()
        };
        assert_eq!(bare(whole), bare(cut));
    }
});
