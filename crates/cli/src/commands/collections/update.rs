use anyhow::Result;

use crate::args::CollectionUpdate;
use crate::commands::Outcome;
use crate::commands::collections::change::print;
use crate::context::Context;

pub(crate) fn run(context: &Context, args: &CollectionUpdate) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let edited = target.edit(|edit| edit.update_collection(&args.name, &args.add, &args.remove))?;
    print(context, &target, &args.name, edited.after.get(&args.name))
}
