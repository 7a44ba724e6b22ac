//! The shapes that lines of Gradle builds have.

use super::code::Token;

/// A block that means something for the lines in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Dependencies,
    Plugins,
    Other,
}

/// Deeper blocks are not followed.
const MAX_BLOCKS: usize = 64;

impl Block {
    /// Opens and closes blocks as a line does.
    pub(super) fn follow(blocks: &mut Vec<Block>, line: &[Token<'_>]) {
        for (at, token) in line.iter().enumerate() {
            match token {
                Token::Sign('{') if blocks.len() < MAX_BLOCKS => {
                    let name = line[..at].last().and_then(Token::word);
                    blocks.push(match name {
                        Some("dependencies") => Block::Dependencies,
                        Some("plugins") => Block::Plugins,
                        _ => Block::Other,
                    });
                }
                Token::Sign('}') => {
                    blocks.pop();
                }
                _ => {}
            }
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Dependency {
    group: String,
    artifact: String,
    pub(super) version: Option<String>,
    /// The name in the catalog, if it is from there.
    pub(super) alias: Option<String>,
}

impl Dependency {
    /// `group:artifact:version`, the version optional, followed by what nobody asks for.
    pub(super) fn parse(text: &str) -> Option<Dependency> {
        let mut parts = text.split('@').next().unwrap_or_default().split(':');
        let (group, artifact) = (parts.next()?, parts.next()?);
        let version = parts.next().filter(|version| !version.is_empty());
        (!group.is_empty() && !artifact.is_empty()).then(|| Dependency {
            group: group.to_owned(),
            artifact: artifact.to_owned(),
            version: version.map(str::to_owned),
            alias: None,
        })
    }

    pub(super) fn name(&self) -> String {
        format!("{}:{}", self.group, self.artifact)
    }
}

/// The configuration and the dependency that a line in `dependencies` has.
pub(super) fn dependency<'t>(line: &'t [Token<'_>]) -> Option<(&'t str, Dependency)> {
    let (configuration, rest) = match line {
        [Token::Word(word), rest @ ..] => (*word, rest),
        // Configurations that a plugin adds are written as texts in Kotlin.
        [Token::Text(text), Token::Sign('('), rest @ ..] => (text.as_ref(), rest),
        _ => return None,
    };
    Some((configuration, value(rest)?))
}

fn value(mut tokens: &[Token<'_>]) -> Option<Dependency> {
    while let [Token::Sign('('), rest @ ..]
    | [Token::Word("platform" | "enforcedPlatform" | "testFixtures"), Token::Sign('('), rest @ ..] = tokens
    {
        tokens = rest;
    }
    match tokens {
        [Token::Text(text), ..] => Dependency::parse(text),
        [Token::Word("kotlin"), Token::Sign('('), Token::Text(module), rest @ ..] => {
            let version = match rest {
                [Token::Sign(','), Token::Text(version), ..] => Some(version.to_string()),
                _ => None,
            };
            let artifact = format!("kotlin-{module}");
            Some(Dependency { group: "org.jetbrains.kotlin".to_owned(), artifact, version, alias: None })
        }
        [Token::Word("group"), Token::Sign(':' | '='), ..] => parts(tokens),
        [Token::Word(word), ..] => {
            let alias = word.strip_prefix("libs.")?;
            Some(Dependency { alias: Some(alias.to_owned()), ..Dependency::default() })
        }
        _ => None,
    }
}

/// `group: 'a', name: 'b', version: 'c'`
fn parts(tokens: &[Token<'_>]) -> Option<Dependency> {
    let part = |name: &str| {
        tokens.windows(3).find_map(|window| match window {
            [Token::Word(word), Token::Sign(':' | '='), Token::Text(text)] if *word == name => Some(text.to_string()),
            _ => None,
        })
    };
    Some(Dependency { group: part("group")?, artifact: part("name")?, version: part("version"), alias: None })
}

/// The plugin that a line in `plugins` has; `libs.plugins.…` if it is from the catalog.
pub(super) fn plugin(line: &[Token<'_>]) -> Option<String> {
    match line {
        [Token::Word("id"), Token::Sign('('), Token::Text(name), ..] | [Token::Word("id"), Token::Text(name), ..] => {
            Some(name.to_string())
        }
        [Token::Word("kotlin"), Token::Sign('('), Token::Text(name), ..] => {
            Some(format!("org.jetbrains.kotlin.{name}"))
        }
        [Token::Word("alias"), Token::Sign('('), Token::Word(name), ..]
        | [Token::Word("alias"), Token::Word(name), ..] => Some((*name).to_owned()),
        [Token::Text(name)] => Some(name.to_string()),
        [Token::Word(name)] => Some((*name).to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::{Comments, tokens};
    use super::*;

    #[test]
    fn dependencies_are_read_in_all_their_shapes() {
        let cases = [
            ("implementation 'a.b:c:1.0'", "implementation a.b:c 1.0"),
            ("implementation(\"a.b:c\")", "implementation a.b:c -"),
            ("api platform('a:bom:2')", "api a:bom 2"),
            ("testImplementation(kotlin(\"test\"))", "testImplementation org.jetbrains.kotlin:kotlin-test -"),
            ("runtimeOnly group: 'a', name: 'b', version: '3'", "runtimeOnly a:b 3"),
            ("runtimeOnly(group = \"a\", name = \"b\")", "runtimeOnly a:b -"),
            ("implementation(libs.spring.boot)", "implementation libs spring.boot"),
            ("\"ksp\"('a:b:1:classifier@jar')", "ksp a:b 1"),
        ];
        for (line, expected) in cases {
            let tokens = tokens(line, Comments::Slashes);
            let (configuration, found) = dependency(&tokens).unwrap();
            let shown = match &found.alias {
                Some(alias) => format!("{configuration} libs {alias}"),
                None => format!("{configuration} {} {}", found.name(), found.version.as_deref().unwrap_or("-")),
            };
            assert_eq!(shown, expected);
        }
        for line in ["implementation project(':a')", "implementation files('x.jar')", "}", "implementation", "a 'b'"] {
            assert_eq!(dependency(&tokens(line, Comments::Slashes)), None, "{line}");
        }
    }
}
