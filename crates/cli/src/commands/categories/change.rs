use ai_assist_collections::CategoryChange;

use crate::args::CategoryChangeArgs;
use crate::commands::categories::add::{in_project, print};
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: CategoryChangeArgs) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let name = args.new_name.clone().unwrap_or_else(|| args.name.clone());
    let change = CategoryChange {
        new_name: args.new_name,
        dir: args.dir.map(|dir| in_project(context, &dir, &target.root)).transpose()?,
        patterns: Some(args.pattern).filter(|patterns| !patterns.is_empty()),
        description: args.description,
    };
    let edited = target.edit(|edit| edit.change_category(&args.name, &change))?;
    print(context, &target, "Changed", &name, &edited.after)
}
