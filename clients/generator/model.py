"""What the table of verbs and the OpenAPI say, in a form that both generators read."""

import re
from dataclasses import dataclass, field

KINDS = ("json", "list", "items", "text", "bytes", "lines", "events", "upload", "import")
METHODS = ("get", "post", "put", "patch", "delete")


def operations(spec: dict) -> dict[str, tuple[str, str, dict]]:
    """Return the operations of an OpenAPI by their id: method, path, description."""
    return {
        o["operationId"]: (method.upper(), path, o)
        for path, item in spec["paths"].items()
        for method, o in item.items()
        if method in METHODS
    }


def compare(table: dict, spec: dict) -> list[str]:
    """Return what is wrong with the table, a line each; none if it fits the OpenAPI."""
    served, faults, seen, names = operations(spec), [], set(), set()
    for verb in table["verbs"]:
        name, op = verb["name"], verb["operation"]
        if name in names:
            faults.append(f"{name}: stands twice in the table")
        names.add(name)
        seen.add(op)
        if op not in served:
            faults.append(f"{name}: the server has no operation {op}")
        elif served[op][:2] != (verb["method"], verb["path"]):
            faults.append(
                f"{name}: is {served[op][0]} {served[op][1]} at the server, not {verb['method']} {verb['path']}"
            )
        elif verb.get("answer", "object") != answer(served[op][2]):
            faults.append(f"{name}: answers {answer(served[op][2])} at the server, not {verb.get('answer')}")
        if verb["kind"] not in KINDS:
            faults.append(f"{name}: {verb['kind']} is not a kind")
        if not verb.get("doc"):
            faults.append(f"{name}: has no doc")
    for op, reason in table["exclusions"].items():
        if op not in served:
            faults.append(f"exclusions: the server has no operation {op}")
        if op in seen:
            faults.append(f"exclusions: {op} is a verb too")
        if not reason:
            faults.append(f"exclusions: {op} has no reason")
        seen.add(op)
    faults += [
        f"{op}: {served[op][0]} {served[op][1]} is neither a verb nor excluded"
        for op in sorted(served.keys() - seen)
    ]
    schemas = spec["components"]["schemas"]
    for name, fields in table["present"].items():
        known = schemas.get(name, {}).get("properties", {})
        faults += [f"present: {name} has no field {f}" for f in fields if f not in known]
    return faults


def answer(operation: dict) -> str:
    """Return the name of the schema of what an operation answers, "object" without one."""
    for status, response in sorted(operation["responses"].items()):
        if status.startswith("2") and "application/json" in response.get("content", {}):
            return base(response["content"]["application/json"]["schema"].get("$ref", "/object"))
    return "object" if operation["operationId"] != "events" else "Event"


def base(ref: str) -> str:
    return ref.rsplit("/", 1)[-1]


def schema_name(name: str) -> str:
    """Return a schema's name as a class: Put-graph-nodeRequest becomes PutGraphNodeRequest."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]", name))


@dataclass
class Field:
    """One field of a schema, or one parameter of a verb."""

    name: str  # on the wire
    schema: dict
    doc: str = ""
    required: bool = False
    query: bool = False  # it goes into the query, not the body
    alias: str = ""  # its name in the clients, if another one

    @property
    def public(self) -> str:
        return self.alias or self.name

    @property
    def commas(self) -> bool:
        """It is a string in which several stand with commas, so that a list is welcome."""
        return self.query and bool(re.search(r"with commas|separated by commas", self.doc))

    @property
    def truth(self) -> bool:
        """It is a string that says true or false."""
        return "true" in self.schema.get("enum", []) or self.query and self.doc.startswith("true: ")

    @property
    def time(self) -> bool:
        """It is a date or time in ISO 8601."""
        if self.schema.get("format") == "date-time" or "ISO 8601" in self.doc:
            return True
        return any(re.match(r"\d{4}-\d\d-\d\d", str(e)) for e in self.schema.get("examples", []))

    @property
    def nullable(self) -> bool:
        """It may be sent as null, which says something."""
        return "null" in self.doc and self.schema.get("type") != "object"


@dataclass
class Verb:
    """One method of the clients."""

    name: str
    method: str
    path: str
    kind: str
    doc: str
    answer: str
    operation: str
    safe: bool
    places: list[str]  # parameters of the path, in order
    fields: list[Field]  # of query and body; those that may be given by position first
    positional: int  # how many of fields may be given by position
    body: str  # schema of the body, "" without one
    more: str = ""  # what the server says beyond doc
    stream: bool = False


@dataclass
class Api:
    """Verbs and schemas."""

    table: dict
    spec: dict
    verbs: list[Verb] = field(default_factory=list)

    def __post_init__(self) -> None:
        served = operations(self.spec)
        self.schemas = self.spec["components"]["schemas"]
        for row in self.table["verbs"]:
            self.verbs.append(self.verb(row, served[row["operation"]][2]))
        self.sets = self.used()

    def verb(self, row: dict, operation: dict) -> Verb:
        rename, body, fields = row.get("rename", {}), "", []
        for p in operation.get("parameters", []):
            if p["in"] == "query":
                alias = rename.get(p["name"], "")
                fields.append(
                    Field(p["name"], p["schema"], p.get("description", ""), p.get("required", False), True, alias)
                )
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" in content:
            body = base(content["application/json"]["schema"]["$ref"])
        if row.get("fields"):
            body = row["fields"]
        if body:
            fields += self.fields(body)
        if row["kind"] == "upload":
            fields = [f for f in fields if f.name not in ("content", "url", "file_base64", "filename")]
        if row.get("stream"):
            fields = [f for f in fields if f.name != "stream"]
        args = row.get("args", [])
        order = [a.rstrip("?") for a in args]
        for f in fields:
            if f.public in order:
                f.required = not args[order.index(f.public)].endswith("?")
        missing = [a for a in order if a not in [f.public for f in fields]]
        if missing:
            raise SystemExit(f"generate: {row['name']} has no field {missing[0]}")
        fields.sort(key=lambda f: order.index(f.public) if f.public in order else len(order))
        places = re.findall(r"{(\w+)}", row["path"])
        return Verb(
            row["name"],
            row["method"],
            row["path"],
            row["kind"],
            row["doc"],
            row.get("answer", "object"),
            row["operation"],
            row.get("safe", row["method"] in ("GET", "PUT", "PATCH")),
            places,
            fields,
            len(order),
            body,
            operation.get("description", ""),
            bool(row.get("stream")),
        )

    def fields(self, name: str) -> list[Field]:
        """Return the fields of a schema in the order of the OpenAPI."""
        present = self.table["present"].get(name, [])
        return [
            Field(n, s, s.get("description", ""), n in present)
            for n, s in self.schemas[name].get("properties", {}).items()
        ]

    def item(self, name: str) -> str:
        """Return the schema of a listing's items; "string" where they are strings."""
        items = self.schemas[name]["properties"]["items"]["items"]
        return base(items["$ref"]) if "$ref" in items else "string"

    def used(self) -> tuple[list[str], list[str]]:
        """Return the schemas of answers and those of requests, both with all that they contain."""
        out: set[str] = set()
        into: set[str] = set()
        for v in self.verbs:
            if v.answer != "object":
                self.reach(self.item(v.answer) if v.kind in ("list", "items", "upload") else v.answer, out)
            if v.body:
                self.reach(v.body, into)
        for name in ("FaultBody", "Report", "OwnReport"):
            self.reach(name, out)
        return sorted(out), sorted(into)

    def class_name(self, name: str, request: bool) -> str:
        """Return the class of a schema. One that stands in answers and in requests has a class for each."""
        answers, requests = self.sets
        return schema_name(name) + ("Input" if request and name in answers and name in requests else "")

    def reach(self, name: str, seen: set[str]) -> None:
        if name in seen or name == "string":
            return
        seen.add(name)
        for ref in re.findall(r'"\$ref": "[^"]*/([^"/]+)"', _text(self.schemas[name])):
            self.reach(ref, seen)


def _text(value: dict) -> str:
    import json

    return json.dumps(value)
