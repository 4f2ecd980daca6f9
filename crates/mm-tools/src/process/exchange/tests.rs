use std::time::{Duration, Instant};

use super::super::tests::{marker, memory_peak_mb, nobody_has, sh};
use super::*;

const MAX: usize = 1024;

async fn exchange(script: &str, marker: &str, input: &[u8], limit: Duration) -> Exchanged {
    let command = Command { timeout: limit, ..sh(script, marker) };
    let cancel = CancellationToken::new();
    ProcessRunner::new().exchange(&command, input, MAX, &cancel).await.unwrap()
}

/// Rows of (script, standard output, standard error, how it ended).
#[tokio::test]
async fn bytes_go_in_and_come_out_apart() {
    let rows: [(&str, &[u8], &[u8], Ending); 8] = [
        ("wc -c | tr -d ' \\n'", b"1000000", b"", Ending::Exited(0)),
        ("true", b"", b"", Ending::Exited(0)),
        ("exec 0<&-; echo done", b"done\n", b"", Ending::Exited(0)),
        ("head -c 3; printf e >&2", b"xxx", b"e", Ending::Exited(0)),
        ("printf '\\377\\0'; exit 2", b"\xff\0", b"", Ending::Exited(2)),
        ("kill -SEGV $$", b"", b"", Ending::Signaled { name: "SEGV", number: 11 }),
        // It leaves its input unread and waits.
        ("printf a; sleep 60{m}", b"a", b"", Ending::TimedOut),
        // It writes as much as it reads.
        ("cat >&2; printf b", b"b", &[b'x'; MAX_ERRORS], Ending::Exited(0)),
    ];
    let input = vec![b'x'; 1_000_000];
    for (script, stdout, stderr, ending) in rows {
        let (marker, begun) = (marker(), Instant::now());
        let limit = Duration::from_secs(if ending == Ending::TimedOut { 1 } else { 30 });
        let went = exchange(script, &marker, &input, limit).await;
        let expected = Exchanged { stdout: stdout.to_vec(), is_cut: false, stderr: stderr.to_vec(), ending };
        assert_eq!(went, expected, "{script}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{script}: {:?}", begun.elapsed());
        nobody_has(&marker).await;
    }
}

#[tokio::test]
async fn a_flood_is_read_to_its_end_and_kept_in_part() {
    let flood = "head -c 100000000 /dev/zero >&2 & head -c 100000000 /dev/zero; wait; printf end >&2";
    let went = exchange(flood, &marker(), b"", Duration::from_secs(60)).await;
    assert_eq!((went.stdout.len(), went.is_cut, went.ending), (MAX, true, Ending::Exited(0)));
    assert!(went.stderr.len() == MAX_ERRORS && went.stderr.ends_with(b"\0end"));
    assert!(memory_peak_mb().is_none_or(|peak| peak < 200), "{:?}", memory_peak_mb());
}

#[tokio::test]
async fn what_is_left_in_the_background_is_ended_and_what_escaped_does_not_delay() {
    let rows =
        ["sleep 60{m} & printf a", "setsid sleep 3{m} & printf a", "(trap '' TERM; sleep 60{m}) & printf a"];
    for script in rows {
        let (marker, begun) = (marker(), Instant::now());
        let went = exchange(script, &marker, b"in", Duration::from_secs(30)).await;
        assert_eq!((went.stdout.as_slice(), went.ending), (&b"a"[..], Ending::Exited(0)), "{script}");
        assert!(begun.elapsed() < Duration::from_secs(4), "{script}: {:?}", begun.elapsed());
        nobody_has(&marker).await;
    }
}

#[tokio::test]
async fn cancelled_or_dropped_nothing_goes_on() {
    let marker = marker();
    let command = sh("sleep 60{m}", &marker);
    let (runner, cancel) = (ProcessRunner::new(), CancellationToken::new());
    let stop = async {
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    let (went, ()) = tokio::join!(runner.exchange(&command, b"in", MAX, &cancel), stop);
    assert_eq!(went.unwrap().ending, Ending::Interrupted);
    let went = runner.exchange(&command, b"in", MAX, &cancel).await.unwrap();
    assert_eq!(went.ending, Ending::Interrupted, "cancelled before it starts");
    let cancel = CancellationToken::new();
    let limited =
        tokio::time::timeout(Duration::from_millis(50), runner.exchange(&command, b"in", MAX, &cancel));
    assert!(limited.await.is_err());
    nobody_has(&marker).await;
}
