"""The derived parts of the Python client: types.py, _verbs.py and _async_verbs.py."""

import json
import keyword
import textwrap
from dataclasses import replace

from .model import Api, Field, Verb, base

HEAD = '"""{0}\n\nWritten by clients/generate.py from clients/verbs.json and the server\'s OpenAPI. Do not edit.\n"""\n'
ROOT = "python/src/lukasa/"
WIDTH = 112
NULL = " | None"

# EXTRA are properties that a class has beside its fields, so that answers read as the documentation of the API does.
EXTRA = {
    "ChatReply": """
    @property
    def content(self) -> str:
        \"\"\"The same as response.\"\"\"
        return self.response
""",
    "DefiningMemory": """
    @property
    def date(self) -> str:
        \"\"\"The day when it occurred, or else was detected: YYYY-MM-DD.\"\"\"
        return (self.occurred_at or self.detected_at).date().isoformat()
""",
    "Found": """
    def __iter__(self) -> Iterator[FoundHit]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> FoundHit:
        return self.results[index]
""",
    "FoundHit": """
    @property
    def topic(self) -> str:
        \"\"\"The title of the document or conversation, or the kind of memory.\"\"\"
        if self.message and self.message.conversation_title:
            return self.message.conversation_title
        if self.document and self.document.title:
            return self.document.title
        return self.memory.kind if self.memory else self.type

    @property
    def summary(self) -> str:
        \"\"\"The summary of the document if it has one, or else what was found.\"\"\"
        return (self.document.summary if self.document else "") or self.content

    @property
    def transcript(self) -> str:
        \"\"\"The whole text that the hit stands in; "" unless the search had include_transcripts.\"\"\"
        return self.document_content
""",
}


def files(api: Api) -> dict[str, str]:
    return {
        ROOT + "types.py": types(api),
        ROOT + "_verbs.py": verbs(api, False),
        ROOT + "_async_verbs.py": verbs(api, True),
    }


def safe_name(name: str) -> str:
    return name + "_" if keyword.iskeyword(name) else name


def types(api: Api) -> str:
    answers, requests = api.sets
    names = sorted([api.class_name(n, False) for n in answers] + [api.class_name(n, True) for n in requests])
    parts = [
        HEAD.format("What the server answers, as dataclasses, and what it takes, as typed dictionaries."),
        "from __future__ import annotations",
        "",
        "from collections.abc import Iterator, Mapping, Sequence",
        "from dataclasses import dataclass",
        "from dataclasses import field as _field",
        "from datetime import date, datetime",
        "from typing import Any, Literal, TypedDict",
        "",
        "from ._decode import ZERO_TIME",
        "",
        "__all__ = [",
        *textwrap.wrap(
            ", ".join(json.dumps(n) for n in names) + ",", WIDTH, initial_indent="    ", subsequent_indent="    "
        ),
        "]",
        "",
    ]
    blocks = [dataclass_of(api, n) for n in answers] + [dictionary_of(api, n) for n in requests]
    return (
        "\n".join(parts)
        + "\n"
        + "\n\n".join(sorted(blocks, key=lambda b: b.split("class ")[-1][:40] if "class " in b else b))
    )


def note(text: str, indent: str) -> list[str]:
    text = " ".join(text.split())
    return textwrap.wrap(text, WIDTH - len(indent), initial_indent=indent + "# ", subsequent_indent=indent + "# ")


def dataclass_of(api: Api, name: str) -> str:
    lines = ["", "@dataclass(slots=True)", f"class {api.class_name(name, False)}:"]
    for f in api.fields(name):
        lines += note(f.doc, "    ")
        lines.append(f"    {safe_name(f.name)}: {answered(api, f)}")
    lines.append("    extra: dict[str, Any] = _field(default_factory=dict)")
    return "\n".join(lines) + "\n" + EXTRA.get(name, "")


def answered(api: Api, f: Field) -> str:
    """Return a field's type and default in an answer: what is left out is the empty value of its type."""
    text = of(api, f.schema, False)
    if f.schema.get("format") == "date-time":
        null = "null" in f.schema.get("type", "")
        return "datetime = ZERO_TIME" if f.required and not null else "datetime | None = None"
    if text.startswith("list["):
        return f"{text} = _field(default_factory=list)"
    if text.startswith("dict["):
        return f"{text} = _field(default_factory=dict)"
    if text == "Any":
        return "Any = None"
    if "$ref" in f.schema:
        return f"{text} = _field(default_factory=lambda: {text}())" if f.required else f"{text} | None = None"
    if text.endswith(NULL):
        return text + " = None"
    empty = {"str": '""', "int": "0", "float": "0.0", "bool": "False"}.get(text, '""')
    return f"{'str' if text.startswith('Literal') else text} = {empty}"


def dictionary_of(api: Api, name: str) -> str:
    cls = api.class_name(name, True)
    fields = api.fields(name)
    if any(keyword.iskeyword(f.name) for f in fields):
        rows = [f'        "{f.name}": "{taken(api, f)}",' for f in fields]
        return "\n".join(
            ["", f"{cls} = TypedDict(", f'    "{cls}",', "    {", *rows, "    },", "    total=False,", ")", ""]
        )
    lines = ["", f"class {cls}(TypedDict, total=False):"]
    for f in fields:
        lines += note(f.doc, "    ")
        lines.append(f"    {f.name}: {taken(api, f)}")
    return "\n".join(lines) + "\n"


def taken(api: Api, f: Field) -> str:
    """Return a field's type in a request."""
    if f.truth:
        return "bool"
    if f.commas:
        return "str | Sequence[str]"
    text = of(api, f.schema, True)
    if f.time and text in ("str", "datetime", "Any"):
        text = "str | date | datetime"
    if f.nullable and text != "Any" and not text.endswith(NULL):
        text += NULL
    return text


def of(api: Api, schema: dict, request: bool) -> str:
    """Return the Python type of a schema."""
    if "$ref" in schema:
        return api.class_name(base(schema["$ref"]), request)
    for union in ("oneOf", "anyOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(of(api, s, request) for s in schema[union]))
    if "enum" in schema:
        return "Literal[" + ", ".join(json.dumps(e) for e in schema["enum"] if e != "") + "]"
    name = schema.get("type")
    if isinstance(name, list):
        name = next(t for t in name if t != "null")
        if name != "array":
            return of(api, {**schema, "type": name}, request) + NULL
    if name == "array":
        return f"{'Sequence' if request else 'list'}[{of(api, schema['items'], request)}]"
    if name == "object":
        inner = schema.get("additionalProperties")
        inner = of(api, inner, request) if isinstance(inner, dict) else "Any"
        return f"{'Mapping' if request else 'dict'}[str, {inner}]"
    if schema.get("format") == "date-time":
        return "datetime"
    return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}.get(name, "Any")


def verbs(api: Api, is_async: bool) -> str:
    names: set[str] = set()
    methods = [text for v in api.verbs if v.kind != "events" for text in methods_of(api, v, is_async, names)]
    imported = textwrap.wrap(", ".join(sorted(names)) + ",", WIDTH, initial_indent="    ", subsequent_indent="    ")
    prefix = "Async" if is_async else ""
    parts = [
        HEAD.format("The verbs of the " + ("asynchronous client." if is_async else "client.")),
        "from __future__ import annotations",
        "",
        (
            "from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence"
            if is_async
            else "from collections.abc import Iterator, Mapping, Sequence"
        ),
        "from datetime import date, datetime",
        "from typing import Any, Literal",
        "",
        f"from ._call import UNSET, {prefix}Caller, {prefix}ChatStream, {prefix}Listing",
        "from ._call import Data, Unset, UploadFile, place",
        "from .types import (",
        *imported,
        ")",
        "",
        "",
        f"class {prefix}Verbs({prefix}Caller):",
        '    """One method for each verb of the API."""',
    ]
    return "\n".join(parts) + "\n" + "".join(methods)


def methods_of(api: Api, v: Verb, is_async: bool, names: set[str]) -> list[str]:
    if not v.stream:
        return [method(api, v, is_async, names)]
    more = replace(
        v, name=v.name + "_stream", kind="stream", doc="Like chat, and the answer comes as it is written"
    )
    return [method(api, v, is_async, names), method(api, more, is_async, names)]


def method(api: Api, v: Verb, is_async: bool, names: set[str]) -> str:
    positional, named, sent = [], [], []
    for i, f in enumerate(v.fields):
        text = taken(api, f)
        collect(api, f.schema, names)
        label = safe_name(f.public)
        nullable = text.endswith(NULL)
        if f.required:
            arg = f"{label}: {text}"
        elif nullable or text == "Any":
            arg = f"{label}: {text} | Unset = UNSET"
        else:
            arg = f"{label}: {text} | None = None"
        (positional if i < v.positional else named).append(arg)
        sent.append((f, label))
    front = {"upload": ["files: UploadFile | Sequence[UploadFile]"], "import": ["data: Data"]}.get(v.kind, [])
    args = ["self", *front, *(f"{p}: str" for p in v.places), *positional, *(["*", *named] if named else [])]
    result, call = outcome(api, v, is_async, names)
    head = f"    def {v.name}({', '.join(args)}) -> {result}:"
    if len(head) > WIDTH + 6:
        head = f"    def {v.name}(\n" + "".join(f"        {a},\n" for a in args) + f"    ) -> {result}:"
    lines = ["", head, *docstring(v)]
    path = json.dumps(v.path)
    for p in v.places:
        path = path.replace("{" + p + "}", "{place(" + p + ", '" + p + "')}")
    path = "f" + path if v.places else path
    query, body = [x for x in sent if x[0].query], [x for x in sent if not x[0].query]
    tail = []
    if query:
        tail.append("query=in_query")
        lines += mapping("in_query", query)
    if v.body:
        tail.append("body=in_body")
        lines += mapping("in_body", body)
    nulls = [f.name for f, _ in body if f.nullable and not f.schema.get("$ref")]
    if nulls:
        tail.append(f"nulls=({', '.join(json.dumps(n) for n in nulls)},)")
    special = {
        "upload": "self._upload(files, in_body)",
        "import": "self._import(data, in_query)",
        "stream": "self._chat_stream(in_body)",
    }
    if v.kind in special or v.stream:
        return "\n".join([*lines, f"        return {special.get(v.kind, 'self._chat(in_body)')}"]) + "\n"
    if v.kind == "bytes" or v.path.endswith("/decompress"):
        tail.append("wait=True")
    if v.path in ("/health", "/ready"):
        tail.append("also=503")
    if v.safe:
        tail.insert(0, "safe=True")
    line = f"        return {call[0]}({call[1]}{', '.join([json.dumps(v.method), path, *tail])})"
    if len(line) > WIDTH + 6:
        parts = [*filter(None, [call[1].removesuffix(", ")]), json.dumps(v.method), path, *tail]
        line = "\n".join([f"        return {call[0]}(", *(f"            {part}," for part in parts), "        )"])
    lines.append(line)
    return "\n".join(lines) + "\n"


def mapping(name: str, fields: list[tuple[Field, str]]) -> list[str]:
    rows = [f'"{f.name}": {label}' for f, label in fields]
    line = f"        {name}: dict[str, Any] = {{{', '.join(rows)}}}"
    if len(line) <= WIDTH + 6:
        return [line]
    return [f"        {name}: dict[str, Any] = {{", *(f"            {r}," for r in rows), "        }"]


def collect(api: Api, schema: dict, names: set[str]) -> None:
    if "$ref" in schema:
        names.add(api.class_name(base(schema["$ref"]), True))
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            collect(api, schema[key], names)


def docstring(v: Verb) -> list[str]:
    first = v.doc + "."
    lines = textwrap.wrap(first, WIDTH - 8)
    more = " ".join(v.more.split())
    said = [f"{safe_name(f.public)}: {' '.join(f.doc.split())}" for f in v.fields if f.doc]
    if len(lines) == 1 and not more and not said:
        return [f'        """{first}"""']
    out = ['        """' + lines[0], *(f"        {x}" for x in lines[1:])]
    if more:
        out += ["", *textwrap.wrap(more, WIDTH - 8, initial_indent="        ", subsequent_indent="        ")]
    if said:
        out.append("")
    for s in said:
        out += textwrap.wrap(s, WIDTH - 8, initial_indent="        ", subsequent_indent="            ")
    text = "\n".join([*out, '        """']).replace("\\", "\\\\")
    return text.split("\n")


def outcome(api: Api, v: Verb, is_async: bool, names: set[str]) -> tuple[str, tuple[str, str]]:
    """Return what a verb returns, and the call that makes it."""
    prefix = "Async" if is_async else ""
    waits = "Awaitable[{}]" if is_async else "{}"
    if v.kind in ("list", "items"):
        item = api.item(v.answer)
        item = "str" if item == "string" else api.class_name(item, False)
        if item != "str":
            names.add(item)
        if v.kind == "list":
            return f"{prefix}Listing[{item}]", ("self._list", f"{item}, ")
        return waits.format(f"list[{item}]"), ("self._items", f"{item}, ")
    if v.kind in ("upload", "import", "stream"):
        names.update({"upload": ["BatchItem"], "import": ["OwnReport", "Report"], "stream": []}[v.kind])
        if v.kind == "stream":
            return f"{prefix}ChatStream", ("", "")
        return waits.format("list[BatchItem]" if v.kind == "upload" else "OwnReport | Report"), ("", "")
    if v.kind == "json":
        if v.answer == "object":
            return waits.format("dict[str, Any]"), ("self._object", "")
        cls = api.class_name(v.answer, False)
        names.add(cls)
        return waits.format(cls), ("self._json", f"{cls}, ")
    return {
        "text": (waits.format("str"), ("self._text", "")),
        "bytes": (waits.format("bytes"), ("self._bytes", "")),
        "lines": (f"{'Async' if is_async else ''}Iterator[dict[str, Any]]", ("self._lines", "")),
    }[v.kind]
