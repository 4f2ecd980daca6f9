//! As much of HTTP/1.1 as a chunked answer on a connection that stays open needs.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// Bytes of a read.
const READ: usize = 64 << 10;

/// A connection for all requests.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
    path: String,
}

impl Connection {
    /// Connects to the host of a URL such as `http://127.0.0.1:8080/v1`.
    pub(crate) fn open(base: &str) -> io::Result<Self> {
        let (host, path) =
            base.strip_prefix("http://").and_then(|rest| rest.split_once('/')).ok_or_else(bad)?;
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        let stream = BufReader::with_capacity(READ, stream);
        Ok(Self { stream, host: host.to_owned(), path: format!("/{path}") })
    }

    /// Asks for a path below the base; see [`post`](Self::post).
    pub(crate) fn get(
        &mut self,
        path: &str,
        line: impl FnMut(Option<&[u8]>) -> io::Result<()>,
    ) -> io::Result<()> {
        let head = format!("GET {}{path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.path, self.host);
        self.stream.get_mut().write_all(head.as_bytes())?;
        self.answer(line)
    }

    /// Sends a body and calls `line` with each line of the answer, and with nothing whenever the next read may wait.
    pub(crate) fn post(
        &mut self,
        path: &str,
        body: &[u8],
        line: impl FnMut(Option<&[u8]>) -> io::Result<()>,
    ) -> io::Result<()> {
        let head = format!(
            "POST {}{path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.path,
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(&[head.as_bytes(), body].concat())?;
        self.answer(line)
    }

    fn answer(&mut self, mut line: impl FnMut(Option<&[u8]>) -> io::Result<()>) -> io::Result<()> {
        let mut length = None;
        loop {
            let field = self.line()?;
            if field.is_empty() {
                break;
            }
            if let Some((name, value)) = field.split_once(": ")
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.parse().ok();
            }
        }
        let mut held = Vec::new();
        match length {
            Some(length) => self.take(length, &mut held, &mut line)?,
            None => loop {
                let size = usize::from_str_radix(&self.line()?, 16).map_err(|_| bad())?;
                self.take(size, &mut held, &mut line)?;
                self.line()?;
                if size == 0 {
                    break;
                }
            },
        }
        line(None)
    }

    /// Takes so many bytes of a body; what is behind the last line end stays in `held`.
    fn take(
        &mut self,
        mut size: usize,
        held: &mut Vec<u8>,
        line: &mut impl FnMut(Option<&[u8]>) -> io::Result<()>,
    ) -> io::Result<()> {
        while size > 0 {
            if self.stream.buffer().is_empty() {
                line(None)?;
            }
            let read = self.stream.by_ref().take(size as u64).fill_buf()?.len();
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            held.extend_from_slice(self.stream.buffer().get(..read).unwrap_or_default());
            self.stream.consume(read);
            size -= read;
            let mut rest = held.as_slice();
            while let Some(end) = memchr::memchr(b'\n', rest) {
                let (whole, behind) = rest.split_at(end);
                line(Some(whole))?;
                rest = behind.get(1..).unwrap_or_default();
            }
            let left = rest.len();
            held.drain(..held.len() - left);
        }
        Ok(())
    }

    /// A line of the head or of the frame.
    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }
}

fn bad() -> io::Error {
    io::ErrorKind::InvalidData.into()
}
