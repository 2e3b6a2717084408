"""The derived parts of docs/sdk.md: the tables of verbs and exclusions."""

import pathlib
import re

from .model import Api
from .typescript import camel


def files(api: Api, page: pathlib.Path) -> dict[str, str]:
    rows = ["| Python | JavaScript | request | what it does |", "|---|---|---|---|"]
    for v in api.verbs:
        rows.append(f"| `{v.name}` | `{camel(v.name)}` | `{v.method} {v.path}` | {v.doc} |")
        if v.stream:
            name = v.name + "_stream"
            rows.append(f"| `{name}` | `{camel(name)}` | `{v.method} {v.path}` | the same, as it is written |")
    kept = ["| operation | why |", "|---|---|"]
    kept += [f"| `{op}` | {reason} |" for op, reason in api.table["exclusions"].items()]
    text = page.read_text()
    for name, lines in (("verbs", rows), ("exclusions", kept)):
        pattern = rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- /{name} -->)"
        text = re.sub(pattern, lambda m, lines=lines: m[1] + "\n".join(lines) + "\n" + m[2], text, flags=re.S)
    return {"../docs/sdk.md": text}
