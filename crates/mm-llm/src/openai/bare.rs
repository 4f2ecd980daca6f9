//! The decoder of an answer alone, for its bench.

use std::sync::Arc;

use super::decode::{Decoder, Wanted};
use super::wire::Chunk;
use super::{CallIds, SseDecoder};
use crate::{ChatEvent, ProviderError};

/// Decodes a streamed body that comes in pieces, as an answer to a request that declared `bash`, and calls `emit`
/// with each event. What a connection adds, such as waits and what an odd body is, is left out.
///
/// # Errors
/// As a chat does.
pub fn decode<'b>(
    pieces: impl IntoIterator<Item = &'b [u8]>,
    mut emit: impl FnMut(ChatEvent),
) -> Result<(), ProviderError> {
    let mut decoder = Decoder::new(
        Arc::new(CallIds::default()),
        Wanted { tools: Arc::new(["bash".to_owned()]), is_json: false },
    );
    let mut sse = SseDecoder::default();
    for piece in pieces {
        let mut read = Ok(());
        sse.push(piece, |data| {
            if read.is_ok() && data != "[DONE]" {
                read = decoder.payload(data);
            }
        })?;
        read?;
        decoder.take().into_iter().for_each(&mut emit);
    }
    decoder.end();
    decoder.take().into_iter().for_each(emit);
    Ok(())
}

/// Reads the data of an event into the type that the decoder reads it into, and drops that; true when it is a chunk.
pub fn parse(data: &str) -> bool {
    serde_json::from_str::<Chunk<'_>>(data).map(std::hint::black_box).is_ok()
}
