#!/usr/bin/env python3
"""Saves facts beside foreign chat and documents in a running server, and asks for them. Standard library only.

docs/evaluating.md has the format of the file. A question finds its fact where the fact's text stands in a hit.
"""
import argparse
import json
import pathlib
import time
import urllib.error
import urllib.request


def client(base, key):
    def call(method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(base + path, data, {"Authorization": "Bearer " + key, "Content-Type": "application/json"}, method=method)
        for attempt in range(6):
            try:
                with urllib.request.urlopen(request, timeout=120) as answer:
                    return json.loads(answer.read() or b"null")
            except urllib.error.HTTPError as error:
                if error.code not in (429, 503) or attempt == 5:
                    raise SystemExit(f"{method} {path}: {error.code} {error.read()[:300]!r}") from error
                time.sleep(float(error.headers.get("Retry-After") or 1))
    return call


def lines(path):
    return [json.loads(line) for line in open(path, encoding="utf-8") if line.strip()]


def save_noise(call, container, folder, messages, documents):
    read = []
    for path in sorted(pathlib.Path(folder).glob("*.jsonl"), reverse=True):
        for talk in lines(path):
            turns = [t for t in talk.get("turns", []) if t["text"].strip()]
            if "cranfield" in path.name:
                read += [t["text"] for t in turns][:documents - len(read)]
                continue
            turns = turns[:min(500, messages)]
            messages -= len(turns)
            for at in range(0, len(turns), 100):
                call("POST", "/v1/messages", {"container": container, "conversation": container + "-" + talk["conversation"], "messages": [
                    {"role": "user", "speaker": t["speaker"], "content": t["text"][:4000], "time": t["time"]} for t in turns[at:at + 100]]})
    for at in range(0, len(read), 50):
        call("POST", "/v1/documents/batch", {"documents": [{"content": x, "container": container, "source": "import"} for x in read[at:at + 50]]})


def settle(call):
    began = time.time()
    while time.time() - began < 300 and call("GET", "/v1/jobs").get("total"):
        time.sleep(.3)


def save(call, kind, container, number, text):
    if kind == "message":
        call("POST", "/v1/messages", {"container": container, "conversation": f"{container}-own-{number // 10}",
                                      "messages": [{"role": "user", "speaker": "Sam", "content": text}]})
    else:
        call("POST", "/v1/memories" if kind == "memory" else "/v1/documents", {"content": text, "container": container})


def holds(hit, text):
    return text in (hit if isinstance(hit, str) else json.dumps(hit, ensure_ascii=False).replace('\\"', '"'))


def share(values):
    return sum(values) / max(1, len(values))


def place(hits, text):
    return next((i for i, h in enumerate(hits) if holds(h, text)), 99)


def facts(call, data, kind, options):
    container, out = "answers." + kind, {}
    save_noise(call, container, options.noise, options.messages, options.documents)
    own = [x for x in data if x["kind"] == "fact"]
    for n, x in enumerate(own):
        save(call, kind, container, n, x["fact"])
    settle(call)

    def brief(question):
        return call("POST", "/v1/brief", {"query": question, "container": container, "max_tokens": 500}).get("text", "")
    for name, field in (("direct", "direct"), ("near", "near"), ("far", "other")):
        asked = [(x["fact"], q) for x in own for q in ([x[field]] if isinstance(x.get(field), str) else x.get(field, []))]
        for ranker in options.rankers.split(","):
            body = {"container": container, "limit": 20, **({} if ranker == "default" else {"ranker": ranker})}
            at = [place(call("POST", "/v1/search", {**body, "query": q})["results"], text) for text, q in asked]
            out[f"{kind} · {name} · {ranker}"] = {"first": share([i == 0 for i in at]), "top3": share([i < 3 for i in at])}
        out[f"{kind} · {name} · brief of 500"] = {"held": share([holds(brief(q), text) for text, q in asked])}
    empty = [not brief(x["question"]) for x in data if x["kind"] == "none"]
    out[f"{kind} · unanswerable"] = {"empty brief": share(empty)}
    return out


def say(call, container, text, when):
    when = when + "T12:00:00Z" if len(when) == 10 else when + ":00Z" if len(when) == 16 else when
    call("POST", "/v1/messages", {"container": container, "conversation": container,
                                  "messages": [{"role": "user", "speaker": "Sam", "content": text, "time": when}]})


def corrections(call, data):
    first, stale = [], []
    for x in (x for x in data if x["kind"] == "correction"):
        container = "answers.c." + x["id"]
        say(call, container, x["old"], "2026-03-01")
        say(call, container, x["new"], "2026-09-01")
        hits = call("POST", "/v1/search", {"query": x["question"], "container": container, "limit": 10})["results"]
        answer = next((i for i, h in enumerate(hits) if x["answer"] in h.get("content", "")), 99)
        old = next((i for i, h in enumerate(hits) if x["stale"] in h.get("content", "") and x["answer"] not in h["content"] and not h.get("superseded")), 98)
        first.append(answer == 0)
        stale.append(old < answer)
    return {"answer first": share(first), "stale before it, unmarked": share(stale)}


def times(call, data):
    at = []
    for x in (x for x in data if x["kind"] == "time"):
        container = "answers.t." + x["id"]
        for item in x["items"]:
            say(call, container, item["text"], item["time"])
        hits = call("POST", "/v1/search", {"query": x["question"], "container": container, "limit": 5, "types": ["message"]})["results"]
        at.append(place(hits, x["items"][x["answer_index"]]["text"]))
    return {"first": share([i == 0 for i in at]), "top3": share([i < 3 for i in at])}


def main():
    p = argparse.ArgumentParser(description=__doc__)
    for name in ("base", "key", "file", "noise"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--as", dest="kinds", default="memory,note,message")
    p.add_argument("--rankers", default="default,weighted,vector,text")
    p.add_argument("--messages", type=int, default=2000)
    p.add_argument("--documents", type=int, default=300)
    o = p.parse_args()
    call, data = client(o.base, o.key), lines(o.file)
    out = {}
    for kind in o.kinds.split(","):
        out.update(facts(call, data, kind, o))
    out["corrections"], out["time"] = corrections(call, data), times(call, data)
    for name, figures in out.items():
        print(f"{name:42} " + "  ".join(f"{k} {v:.3f}" for k, v in figures.items()))


if __name__ == "__main__":
    main()
