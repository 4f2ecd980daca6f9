//! Bodies as servers pack them.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

pub(in crate::fetch) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(in crate::fetch) fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// The bytes as blocks that are stored as they are: there is no encoder here.
pub(in crate::fetch) fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    for (n, block) in bytes.chunks(1000).enumerate() {
        // Of the first block, the window's size stands before: one bit.
        let head = ((block.len() as u32 - 1) << 3 | 1 << 19) << u32::from(n == 0);
        packed.extend_from_slice(&head.to_le_bytes()[..3]);
        packed.extend_from_slice(block);
    }
    packed.push(3);
    packed
}
