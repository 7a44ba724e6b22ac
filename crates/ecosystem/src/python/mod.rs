//! Python: `uv.lock`, `poetry.lock` and `requirements.txt`.

mod poetry;
mod requirements;
mod uv;

pub(crate) use poetry::parse as poetry_lock;
pub(crate) use requirements::read as requirements;
pub(crate) use uv::parse as uv_lock;

/// The name a requirement such as `requests[socks] >=2 ; python_version > "3"` opens with.
pub(crate) fn leading_name(requirement: &str) -> &str {
    let requirement = requirement.trim_start();
    let end = requirement.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
    &requirement[..end.unwrap_or(requirement.len())]
}
