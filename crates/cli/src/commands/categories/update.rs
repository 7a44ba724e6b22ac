use anyhow::Result;

use crate::args::CategoryUpdate;
use crate::commands::Outcome;
use crate::commands::categories::add::print;
use crate::commands::collections::target::Target;
use crate::context::Context;

pub(crate) fn run(context: &Context, args: &CategoryUpdate) -> Result<Outcome> {
    let target = Target::new(context, args.global)?;
    let edited = target.edit(|edit| edit.update_category(&args.name, &args.add, &args.remove))?;
    print(context, &target, "Changed", &args.name, &edited.after)
}
