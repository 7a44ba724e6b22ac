//! Where a service listens.

use std::path::{Path, PathBuf};

use ai_assist_base::RealPath;
use ai_assist_identity::Sha256;

/// The longest path that a socket may have on every system that we know.
const LONGEST: usize = 100;

/// The socket of the service for a data folder: in the user's runtime folder, else in the data folder itself. None where its path
/// would be too long for a socket.
pub fn socket_file(runtime: Option<&Path>, data: &Path) -> Option<PathBuf> {
    let real = data.real_path().unwrap_or_else(|_| data.to_owned());
    let hash = Sha256::of(real.as_os_str().as_encoded_bytes()).hex();
    let file = match runtime {
        Some(runtime) => runtime.join("ai-assist").join(format!("{}.sock", &hash[..16])),
        None => real.join("serve.sock"),
    };
    (cfg!(windows) || file.as_os_str().len() <= LONGEST).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_data_folder_has_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        std::fs::create_dir_all(&one).unwrap();
        let run = Path::new("/run/user/1");
        let file = socket_file(Some(run), &one).unwrap();
        assert!(file.starts_with("/run/user/1/ai-assist"));
        assert_ne!(Some(&file), socket_file(Some(run), &two).as_ref());
        std::os::unix::fs::symlink(&one, folder.path().join("link")).unwrap();
        assert_eq!(Some(file), socket_file(Some(run), &folder.path().join("link")), "however it is spelled");
        assert_eq!(socket_file(None, Path::new(&"/long".repeat(40))), None);
    }
}
