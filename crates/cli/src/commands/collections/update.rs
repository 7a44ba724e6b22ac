use crate::args::CollectionUpdate;
use crate::commands::collections::change::print;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &CollectionUpdate) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let edited = target.edit(|edit| edit.update_collection(&args.name, &args.add, &args.remove))?;
    print(context, &target, &args.name, edited.after.get(&args.name))
}
