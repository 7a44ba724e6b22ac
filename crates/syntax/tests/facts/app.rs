//! Comments that mention eval, unsafe or strcpy are no risk.
use std::process::Command;
use a::{b, c::{d, e as f}, self, g::*};
use ::serde::Serialize;
extern crate alloc;
mod inner;
pub mod shown;
pub use shown::{Thing, other as Renamed};
pub(crate) use shown::Hidden;

pub const LIMIT: usize = 1;
pub(crate) fn internal() {}
fn private() {}

pub struct Store {
    pub field: u8,
}

impl Store {
    pub fn open(path: &str) -> Store {
        if path.is_empty() {
            for part in path.split('/') {
                match part {
                    "a" => {}
                    _ => while true {},
                }
            }
        } else if path == "x" {
        } else {
        }
        let map = std::collections::HashMap::new();
        map.get("/not/a/route");
        map.get("key");
        Store { field: 0 }
    }
    fn closed(&self) {}
}

impl Clone for Store {
    fn clone(&self) -> Self {
        unsafe { std::ptr::read(self) }
    }
}

pub unsafe fn raw() {}
type Callback = unsafe extern "C" fn();

pub mod nested {
    pub fn seen() {}
}
mod tests {
    pub fn unseen() {}
}

#[macro_export]
macro_rules! shout {
    () => {};
}
macro_rules! whisper {
    () => {};
}

fn router() {
    Router::new()
        .route("/users", get(list).post(create))
        .route("/users/{id}", routing::delete(remove))
        .nest("/api", other);
    App::new().route("/actix", web::put().to(handler)).service(web::resource("/res"));
    graph.route("/x", 5);
}

#[get("/rocket/<id>")]
fn rocket() {}
#[post("not a path")]
fn none() {}

#[derive(Debug, Subcommand)]
enum Commands {
    /// Adds.
    Add,
    #[command(name = "rm")]
    Remove { path: String },
    DryRun(Args),
}
#[derive(Debug)]
enum Plain {
    NoCommand,
}
enum Bare {
    NoCommandEither,
}

fn run() {
    Command::new("secret-argument").spawn();
    tokio::process::Command::new("ls");
    clap::Command::new("prog").subcommand(clap::Command::new("sub"));
    let q = format!("SELECT * FROM t WHERE id = {}", id);
    let q = format!("SELECT * FROM t WHERE id = {id}");
    let none = format!("SELECT");
    let none = format!("SELECT {{}} FROM t");
    let q = "DELETE FROM t WHERE a = ".to_owned() + &x;
    client.danger_accept_invalid_certs(true);
    client.danger_accept_invalid_certs(false);
    let h = Md5::new();
    let text = "eval(unsafe) strcpy(a, b)";
}
