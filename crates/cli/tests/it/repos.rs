//! Repositories and workspaces from outside.

mod indexing;
mod living;
mod readers;
mod searching;
mod workspaces;

use crate::support::Sandbox;

/// A small repository of several languages, not in git.
fn sample() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "src/queue.rs",
        "//! A queue of jobs.\n\nuse crate::job::Job;\n\n/// Holds the jobs that wait for a worker.\npub struct Queue {\n    \
         jobs: Vec<Job>,\n}\n\nimpl Queue {\n    /// Puts a job at the end of the line.\n    pub fn push(&mut self, job: Job) \
         {\n        self.jobs.push(job);\n    }\n\n    /// Takes the job that has waited longest.\n    pub fn pop(&mut self) -> \
         Option<Job> {\n        if self.jobs.is_empty() { None } else { Some(self.jobs.remove(0)) }\n    }\n}\n",
    );
    sandbox.write(
        "src/job.rs",
        "/// A piece of work.\n#[derive(Debug)]\npub struct Job {\n    pub name: String,\n    pub attempts: u32,\n}\n\n\
         /// How often a job is tried.\npub const MAX_ATTEMPTS: u32 = 5;\n",
    );
    sandbox.write(
        "src/worker.rs",
        "use crate::job::{Job, MAX_ATTEMPTS};\nuse crate::queue::Queue;\n\n/// Runs jobs until the queue is empty.\npub fn \
         drain(queue: &mut Queue) {\n    while let Some(job) = queue.pop() {\n        run(job);\n    }\n}\n\nfn run(job: Job) \
         {\n    assert!(job.attempts < MAX_ATTEMPTS);\n}\n",
    );
    sandbox.write(
        "tools/report.py",
        "\"\"\"Prints a report of failed jobs.\"\"\"\n\nclass Report:\n    \"\"\"Collects failures by name.\"\"\"\n\n    def \
         add(self, name):\n        self.names.append(name)\n",
    );
    sandbox.write("docs/guide.md", "# Guide\n\n## Workers\n\nA worker drains the queue and stops when it is empty.\n");
    sandbox.write(
        "data/jobs.jsonl",
        "{\"name\": \"nightly\", \"attempts\": 2}\n{\"name\": \"weekly\", \"attempts\": 0}\n",
    );
    sandbox
}

/// The same, indexed.
fn indexed() -> Sandbox {
    let sandbox = sample();
    sandbox.run(&["index", "build"]).assert_code(0);
    sandbox
}
