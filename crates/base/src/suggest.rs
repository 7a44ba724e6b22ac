/// The most similar of some words, if one is near enough to be meant.
pub fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    // No name is that long, and comparing takes time that grows with the square.
    if word.len() > 100 {
        return None;
    }
    let lower = word.to_lowercase();
    words
        .into_iter()
        .filter(|candidate| candidate.len() <= 100)
        .map(|candidate| (strsim::jaro_winkler(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(similarity, _)| *similarity > 0.82)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// The end of a message about a word that is none of those that are known: `; did you mean …?`, or nothing.
pub fn did_you_mean<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> String {
    nearest(word, words).map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_are_recognised() {
        assert_eq!(nearest("collection", ["collections", "settings"]), Some("collections"));
        assert_eq!(nearest("raect", ["react", "vue"]), Some("react"));
        assert_eq!(nearest("zzz", ["react", "vue"]), None);
        assert_eq!(did_you_mean("raect", ["react", "vue"]), "; did you mean `react`?");
        assert_eq!(did_you_mean("zzz", ["react", "vue"]), "");
    }
}
