use proptest::prelude::*;

use super::*;

const SECOND: i64 = 1_000_000_000;

#[test]
fn durations_follow_go() {
    let rows = [
        ("0", 0),
        ("+0", 0),
        ("-0", 0),
        ("0s", 0),
        ("5s", 5 * SECOND),
        ("+5s", 5 * SECOND),
        ("-5s", -5 * SECOND),
        ("20s", 20 * SECOND),
        ("3m", 180 * SECOND),
        ("1h30m", 5400 * SECOND),
        ("1.5h", 5400 * SECOND),
        ("250ms", SECOND / 4),
        ("10us", 10_000),
        ("10µs", 10_000),
        ("10μs", 10_000),
        (".5s", SECOND / 2),
        ("5.s", 5 * SECOND),
        ("1.s1.s", 2 * SECOND),
        ("-1.5h", -5400 * SECOND),
        ("3h4m5s6ms7us8ns", 11_045 * SECOND + 6_007_008),
        ("52763797000ns", 52_763_797_000),
        ("0.3333333333333333333h", 1_200 * SECOND),
        ("0.9223372036854775807m", 55 * SECOND + 340_232_221),
        ("0.100000000000000000000h", 360 * SECOND),
        ("9007199254740993ns", 9_007_199_254_740_993),
        ("9223372036854775807ns", i64::MAX),
        ("-9223372036854775808ns", i64::MIN),
        ("9223372036.854775807s", i64::MAX),
    ];
    for (text, expected) in rows {
        let duration: GoDuration = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(duration.as_nanos(), expected, "{text}");
        assert_eq!(duration.to_string(), text);
    }
}

#[test]
fn errors_say_what_to_write() {
    let shape = r"must be a duration such as 20s, 3m or 1h30m, not ";
    let unit = "must be a duration in ns, us, ms, s, m or h, not ";
    let rows = [
        ("", format!("{shape}\"\"")),
        ("-", format!("{shape}\"-\"")),
        (".", format!("{shape}\".\"")),
        (".s", format!("{shape}\".s\"")),
        ("ten", format!("{shape}\"ten\"")),
        ("1h30", format!("{shape}\"1h30\"")),
        ("1.2.3s", format!("{shape}\"1.2.3s\"")),
        (" 1s", format!("{shape}\" 1s\"")),
        ("--1s", format!("{shape}\"--1s\"")),
        ("1d", format!("{unit}\"1d\"")),
        ("3M", format!("{unit}\"3M\"")),
        ("1 s", format!("{unit}\"1 s\"")),
        ("1s ", format!("{unit}\"1s \"")),
        ("1s-2s", format!("{unit}\"1s-2s\"")),
        ("30", "must be a duration with a unit, not 30: write 30s for seconds".to_owned()),
        ("-1.5", "must be a duration with a unit, not -1.5: write 1.5s for seconds".to_owned()),
        ("9223372036854775808ns", "must be a shorter duration than \"9223372036854775808ns\"".to_owned()),
        ("3000000h", "must be a shorter duration than \"3000000h\"".to_owned()),
        ("2562047h48m", "must be a shorter duration than \"2562047h48m\"".to_owned()),
    ];
    for (text, expected) in rows {
        assert_eq!(text.parse::<GoDuration>().unwrap_err().to_string(), expected, "{text}");
    }
    let endless = "9".repeat(400) + "h";
    assert!(matches!(endless.parse::<GoDuration>(), Err(DurationError::TooLong(_))));
}

#[test]
fn negative_is_no_length() {
    assert_eq!("-5s".parse::<GoDuration>().unwrap().as_duration(), Duration::ZERO);
}

proptest! {
    #[test]
    fn sums_of_units_are_exact(hours in 0..1000_i64, minutes in 0..600_i64, ms in 0..600_000_i64, neg: bool) {
        let text = format!("{}{hours}h{minutes}m{ms}ms", if neg { "-" } else { "" });
        let length = (hours * 3600 + minutes * 60) * SECOND + ms * 1_000_000;
        let duration: GoDuration = text.parse().unwrap();
        prop_assert_eq!(duration.as_nanos(), if neg { -length } else { length });
    }

    #[test]
    fn any_text_is_a_duration_or_an_error(text in "[-+]?([0-9]{0,25}\\.?[0-9]{0,25}(ns|µs|s|h|x|)){0,4}") {
        if let Ok(duration) = text.parse::<GoDuration>() {
            prop_assert_eq!(duration.as_str(), text);
        }
    }
}
