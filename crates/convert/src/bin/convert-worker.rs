//! A worker and nothing else, for the tests of this crate. `ai-assist` is its own worker.

fn main() -> std::io::Result<()> {
    ai_assist_convert::worker_main(std::io::stdin(), std::io::stdout())
}
