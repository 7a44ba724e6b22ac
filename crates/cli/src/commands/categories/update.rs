use crate::args::CategoryUpdate;
use crate::commands::categories::add::print;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &CategoryUpdate) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let edited = target.edit(|edit| edit.update_category(&args.name, &args.add, &args.remove))?;
    print(context, &target, "Changed", &args.name, &edited.after)
}
