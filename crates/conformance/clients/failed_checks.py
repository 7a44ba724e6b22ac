"""Says what the conformance suite did not expect, from its output and the folder that it wrote.

Usage: failed_checks.py OUTPUT FOLDER
"""

import json
import sys
from pathlib import Path

output, folder = Path(sys.argv[1]).read_text(), Path(sys.argv[2])
verdict = output.partition("=== SUMMARY ===")[2] or output
unexpected = verdict.partition("Unexpected failures (not in baseline)")[2]
names = {line.strip().removeprefix("✗ ") for line in unexpected.splitlines() if line.strip().startswith("✗")}

for file in sorted(folder.glob("*/checks.json")):
    scenario = file.parent.name.removeprefix("server-")[: -len("-2026-01-01T00-00-00-000Z")]
    for check in json.loads(file.read_text()):
        failed = check["status"] in ("FAILURE", "WARNING")
        if failed and names & {scenario, f"{scenario}:{check['id']}"}:
            print(f"{check['status'].lower()} {scenario}:{check['id']}: {check.get('errorMessage', 'failed')}")

# What else went wrong: an entry that no longer fails, or the suite itself.
if not names:
    print("\n".join(verdict.splitlines()[-12:]))
