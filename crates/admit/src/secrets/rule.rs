//! What a rule is.
//!
//! A rule is one entry in a table of `rules/`: an id, the keywords that make it worth trying, and the form of the value.

#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// The value starts with a keyword and matches this whole pattern; no letter, digit or `_` touches it.
    Token(&'static str),
    /// The value starts with a keyword and at least this much of it; what follows of the same token goes along.
    Long(&'static str),
    /// The value is group 1 of this pattern, which is tried around a keyword. `(?i)` at its start counts for the keywords
    /// too.
    Near(&'static str),
    /// The value is assigned to a name that has a keyword in it and speaks of a key, token or the like; the whole value
    /// matches this pattern.
    Assigned(&'static str),
    /// Found by code of its own; the rule gives it an id, and a place in the order.
    Code,
}

/// How sure a rule is of a value by its form alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It is one, unless it is a stand-in such as `your-token`.
    Placeholder,
    /// Unless it is a stand-in or reads as a name.
    Name,
    /// Unless it is no password anyone would set, such as `password` or `$PASSWORD`.
    Weak,
    /// Unless it does not decode to `user:password`, or the password is a stand-in.
    Basic,
    /// Unless it is neither `user:password` with a password in it nor one itself.
    Login,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// Stands in the marker and in receipts.
    pub(super) id: &'static str,
    /// Where one of these stands, the form is tried. Compared exactly by tokens, without regard to case by names.
    pub(super) keywords: &'static [&'static str],
    /// Patterns are matched on bytes, without Unicode classes, and have a longest match.
    pub(super) form: Form,
    /// Least entropy of the value in bits per byte; 0 asks for none.
    pub(super) entropy: f32,
    pub(super) doubt: Doubt,
    /// Whether `=` or `:` must follow a keyword, after at most the rest of a name, a quote and blanks: a look that is cheaper
    /// than a regular expression and drops nearly all of prose.
    pub(super) gated: bool,
    /// How far before and behind a keyword a pattern of [`Form::Near`] may look.
    pub(super) reach: (usize, usize),
    /// A byte that every value has so far behind its start: a look that spares the pattern where the keyword starts ordinary
    /// words.
    pub(super) fixed: Option<(usize, u8)>,
}

const fn rule(id: &'static str, keywords: &'static [&'static str], form: Form) -> Rule {
    Rule { id, keywords, form, entropy: 3.0, doubt: Doubt::Placeholder, gated: false, reach: (0, 320), fixed: None }
}

pub(super) const fn token(id: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> Rule {
    rule(id, keywords, Form::Token(pattern))
}

/// A value that starts with a keyword and may be longer than the pattern.
pub(super) const fn long(id: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> Rule {
    rule(id, keywords, Form::Long(pattern))
}

pub(super) const fn near(id: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> Rule {
    rule(id, keywords, Form::Near(pattern))
}

pub(super) const fn assigned(id: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> Rule {
    rule(id, keywords, Form::Assigned(pattern)).doubt(Doubt::Name)
}

/// A kind of value that code of its own finds.
pub(super) const fn coded(id: &'static str) -> Rule {
    rule(id, &[], Form::Code)
}

impl Rule {
    pub(super) const fn entropy(mut self, entropy: f32) -> Self {
        self.entropy = entropy;
        self
    }

    pub(super) const fn doubt(mut self, doubt: Doubt) -> Self {
        self.doubt = doubt;
        self
    }

    pub(super) const fn gated(mut self) -> Self {
        self.gated = true;
        self
    }

    pub(super) const fn reach(mut self, before: usize, behind: usize) -> Self {
        self.reach = (before, behind);
        self
    }

    pub(super) const fn fixed(mut self, at: usize, byte: u8) -> Self {
        self.fixed = Some((at, byte));
        self
    }

    /// Whether keywords count in any case.
    pub(super) fn ignores_case(&self) -> bool {
        match self.form {
            Form::Token(_) | Form::Long(_) => false,
            Form::Near(pattern) => pattern.starts_with("(?i)"),
            Form::Assigned(_) | Form::Code => true,
        }
    }
}
