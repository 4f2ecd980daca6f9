//! The least that a program can do: it starts, prints a line and ends.
#![allow(clippy::print_stdout)]

fn main() {
    println!("floor 0.1.0");
}
