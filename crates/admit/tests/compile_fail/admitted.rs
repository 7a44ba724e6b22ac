use ai_assist_admit::Admitted;

fn forge(like: Admitted) -> Admitted {
    Admitted { text: String::from("never asked"), ..like }
}

fn main() {
    let _ = forge;
}
