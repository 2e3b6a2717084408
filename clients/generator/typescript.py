"""The derived parts of the TypeScript client: types.ts and verbs.ts."""

import json
import textwrap

from .model import Api, Field, Verb, base, schema_name

HEAD = "// Written by clients/generate.py from clients/verbs.json and the server's OpenAPI. Do not edit.\n"
INDENT = "  "


def files(api: Api) -> dict[str, str]:
    return {"typescript/src/types.ts": types(api), "typescript/src/verbs.ts": verbs(api)}


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def types(api: Api) -> str:
    answers, requests = api.sets
    blocks = [interface(api, name, False) for name in answers] + [interface(api, name, True) for name in requests]
    return "\n".join([HEAD, *sorted(blocks)])


def interface(api: Api, name: str, request: bool) -> str:
    lines = [f"export interface {api.class_name(name, request)} {{"]
    for f in api.fields(name):
        if request and name in api.sets[0]:
            f.required = False
        lines += member(api, f, request)
    return "\n".join([*lines, "}", ""])


def member(api: Api, f: Field, request: bool) -> list[str]:
    mark = "" if f.required else "?"
    key = f.public if f.public.isidentifier() else json.dumps(f.public)
    return [*comment(f.doc, INDENT), f"{INDENT}{key}{mark}: {kind(api, f, request)};"]


def comment(text: str, indent: str) -> list[str]:
    text = " ".join(text.split()).replace("*/", "* /")
    if not text:
        return []
    if len(text) + len(indent) < 110:
        return [f"{indent}/** {text} */"]
    body = textwrap.wrap(text, 112 - len(indent))
    return [f"{indent}/**", *(f"{indent} * {line}" for line in body), f"{indent} */"]


def kind(api: Api, f: Field, request: bool) -> str:
    if f.truth:
        return "boolean"
    if f.commas:
        return "string | readonly string[]"
    text = of(api, f.schema, request)
    if f.time and request:
        text = "string | Date" if text in ("string", "unknown") else text
    if request and f.nullable and text not in ("unknown",):
        text += " | null"
    return text


def of(api: Api, schema: dict, request: bool) -> str:
    """Return the TypeScript type of a schema."""
    if "$ref" in schema:
        return api.class_name(base(schema["$ref"]), request)
    for union in ("oneOf", "anyOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(of(api, s, request) for s in schema[union]))
    if "enum" in schema:
        return " | ".join(json.dumps(e) for e in schema["enum"] if e != "")
    name = schema.get("type")
    if isinstance(name, list):
        name = next(t for t in name if t != "null")
        if "null" in schema["type"] and name != "array":
            return of(api, {**schema, "type": name}, request) + " | null"
    if name == "array":
        inner = of(api, schema["items"], request)
        inner = f"({inner})" if " " in inner else inner
        return f"readonly {inner}[]" if request else f"{inner}[]"
    if name == "object":
        inner = schema.get("additionalProperties")
        return (
            f"Record<string, {of(api, inner, request)}>" if isinstance(inner, dict) else "Record<string, unknown>"
        )
    return {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}.get(name, "unknown")


def verbs(api: Api) -> str:
    used: set[str] = set()
    params, methods, rows = [], [], []
    for v in api.verbs:
        if v.kind not in ("upload", "import", "events"):
            if not v.stream:  # those are written by hand
                rows.append(f"{INDENT}{camel(v.name)}: {json.dumps(row(v))},")
            block, text = method(api, v, used)
            methods.append(text)
        else:
            block = block_of(api, v)
        params += block
    head = [
        HEAD,
        'import type { CallOptions } from "./call.js";',
        'import type { List } from "./list.js";',
        *imports(used),
        "",
        "/**",
        " * The verbs: method, path, kind, then letters and names. s: safe to be sent twice; i: has an input;",
        " * b: has a body;",
        " * q=name: this field of the input goes into the query; m=name: an input that is a string is this field.",
        " */",
        "export const table: Record<string, string> = {",
        *rows,
        "};",
        "",
    ]
    return "\n".join(
        [
            *head,
            *params,
            "/** What a {@link Lukasa} can be asked. */",
            "export interface Verbs {",
            *methods,
            "}",
            "",
        ]
    )


def imports(used: set[str]) -> list[str]:
    names = ", ".join(sorted(used))
    body = textwrap.wrap(names, 112)
    return ["import type {", *(f"{INDENT}{line}" for line in body), '} from "./types.js";']


def row(v: Verb) -> str:
    parts = [v.method, v.path, v.kind]
    if v.safe:
        parts.append("s")
    if v.fields:
        parts.append("i")
    if v.body:
        parts.append("b")
    if v.body:
        parts += [f"q={f.public}" + (f":{f.name}" if f.alias else "") for f in v.fields if f.query]
    elif v.method in ("POST", "PATCH", "PUT"):
        parts += [f"q={f.name}" for f in v.fields if f.query]
    if main(v):
        parts.append(f"m={main(v)}")
    return " ".join(parts)


def main(v: Verb) -> str:
    """Return the field that a verb's input is when it is a string."""
    if v.positional == 0 or any(f.required for f in v.fields[1:]):
        return ""
    return v.fields[0].public


def block_of(api: Api, v: Verb) -> list[str]:
    """Return the interface of a verb's parameters, if there is one."""
    queries = [f for f in v.fields if f.query or v.kind == "upload"]
    if not queries:
        return []
    lines = [f"/** What {{@link Verbs.{camel(v.name)}}} takes. */"]
    if v.kind in ("upload", "import", "events"):
        lines = [f"/** What {camel(v.name)} takes. */"]
    lines.append(f"export interface {params_name(v)} {{")
    for f in queries:
        lines += member(api, f, True)
    return [*lines, "}", ""]


def params_name(v: Verb) -> str:
    name = camel(v.name)
    return name[0].upper() + name[1:] + "Params"


def method(api: Api, v: Verb, used: set[str]) -> tuple[list[str], str]:
    block = block_of(api, v)
    parts = []
    if block:
        parts.append(params_name(v))
    if v.body:
        used.add(schema_name(v.body))
        parts.append(f'Omit<{schema_name(v.body)}, "stream">' if v.stream else schema_name(v.body))
    args = [f"{p}: string" for p in v.places]
    if parts:
        text = " & ".join(parts)
        optional = not any(f.required for f in v.fields)
        if main(v):
            text = "string | " + (f"({text})" if "&" in text else text)
        args.append(f"input{'?' if optional else ''}: {text}")
    args.append("options?: CallOptions")
    doc = comment(v.doc + "." + (" " + v.more if v.more else ""), INDENT)
    signature = f"{INDENT}{camel(v.name)}({', '.join(args)}): {result(api, v, used)};"
    if len(signature) > 118:
        inner = "".join(f"\n{INDENT * 2}{a}," for a in args)
        signature = f"{INDENT}{camel(v.name)}({inner}\n{INDENT}): {result(api, v, used)};"
    return block, "\n".join([*doc, signature])


def result(api: Api, v: Verb, used: set[str]) -> str:
    if v.kind in ("list", "items"):
        item = api.item(v.answer)
        if item != "string":
            used.add(schema_name(item))
            item = schema_name(item)
        return f"List<{item}>" if v.kind == "list" else f"Promise<{item}[]>"
    if v.kind == "json":
        if v.answer == "object":
            return "Promise<Record<string, unknown>>"
        used.add(schema_name(v.answer))
        return f"Promise<{schema_name(v.answer)}>"
    return {
        "text": "Promise<string>",
        "bytes": "Promise<Response>",
        "lines": "AsyncIterable<Record<string, unknown>>",
    }[v.kind]
