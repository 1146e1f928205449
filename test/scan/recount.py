"""Counts the logs of tools below a home folder again, in its own way, and prints the rows as JSON. All of a file is read at once here."""

import datetime
import glob
import json
import os
import sys
from fractions import Fraction
from math import ceil

home, card_file, since_ms, until_ms = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

prices = {}
for entry in json.load(open(card_file))["entries"]:
    for name in [entry["model"], *entry.get("also", [])]:
        if entry["price"] is not None:
            prices.setdefault(name, entry["price"])


def lines(path):
    for line in open(path, "rb").read().split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def milliseconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000


def cost(model, fresh, read, written, hourly, out):
    price = prices.get(model)
    if price is None:
        return None
    for step in price.get("steps", []):
        if fresh + read + written > step["above"]:
            price = step
    rate = lambda name, other: Fraction(str(price.get(name, other)))
    plain_write = rate("cache_write", price["input"])
    hour_write = Fraction(str(price["cache_write_1h"])) if "cache_write_1h" in price else plain_write
    total = fresh * rate("input", 0) + read * rate("cache_read", price["input"]) + out * rate("output", 0)
    total += (written - hourly) * plain_write + hourly * hour_write
    return ceil(total)


calls = []  # tool, model, project, time, (fresh, read, written, hourly, out)

claude = {}  # by message, or by request where the message has no name
for path in glob.glob(home + "/.claude/projects/**/*.jsonl", recursive=True):
    for line in lines(path):
        message = line.get("message")
        if line.get("type") != "assistant" or not isinstance(message, dict) or message.get("model") == "<synthetic>":
            continue
        usage = message["usage"]
        counts = (
            usage["input_tokens"],
            usage.get("cache_read_input_tokens", 0),
            usage.get("cache_creation_input_tokens", 0),
            usage.get("cache_creation", {}).get("ephemeral_1h_input_tokens", 0),
            usage["output_tokens"],
        )
        name = message.get("id") or line["requestId"]
        known = claude[name][4] if name in claude else (0, 0, 0, 0, 0)
        most = tuple(map(max, known, counts))
        claude[name] = ("claude-code", message["model"], os.path.basename(line["cwd"]), line["timestamp"], most)
calls += claude.values()


def codex_sums(path):
    for line in lines(path):
        payload = line.get("payload", {})
        if payload.get("type") == "token_count" and payload.get("info"):
            total = payload["info"]["total_token_usage"]
            yield line, (total["input_tokens"], total["cached_input_tokens"], total["output_tokens"])


for path in glob.glob(home + "/.codex/sessions/**/rollout-*.jsonl", recursive=True):
    head = next(lines(path))["payload"]
    parent = head.get("forked_from_id")
    known = set()
    if parent is not None:
        (parent_path,) = glob.glob(home + "/.codex/sessions/**/rollout-*-" + parent + ".jsonl", recursive=True)
        known = {sums for _, sums in codex_sums(parent_path)}
    models = {}
    model = None
    for line in lines(path):
        if line["type"] == "turn_context":
            model = line["payload"]["model"]
        models[json.dumps(line)] = model
    before = (0, 0, 0)
    inside = True
    for line, sums in codex_sums(path):
        inside = inside and sums in known
        used = tuple(now - then for now, then in zip(sums, before))
        before = sums
        if inside or sums[0] < 0 or used == (0, 0, 0):
            continue
        counts = (used[0] - used[1], used[1], 0, 0, used[2])
        calls.append(("codex", models[json.dumps(line)], os.path.basename(head["cwd"]), line["timestamp"], counts))

latest = {}
for path in glob.glob(home + "/.gemini/tmp/*/chats/session-*.jsonl"):
    for line in lines(path):
        if line.get("type") == "gemini":
            tokens = line["tokens"]
            counts = (
                tokens["input"] - tokens["cached"] + tokens["tool"],
                tokens["cached"],
                0,
                0,
                tokens["output"] + tokens["thoughts"],
            )
            project = path.split("/")[-3]
            latest[line["id"]] = ("gemini-cli", line["model"], project, line["timestamp"], counts)
calls += latest.values()

rows = {}
for tool, model, project, timestamp, counts in calls:
    at = milliseconds(timestamp)
    if not since_ms < at <= until_ms:
        continue
    day = datetime.datetime.fromtimestamp(at / 1000).strftime("%Y-%m-%d")
    row = rows.setdefault((day, tool, model, project), [0, 0, 0, 0, 0, None if model not in prices else 0])
    fresh, read, written, hourly, out = counts
    for index, value in enumerate([1, fresh, read, written, out]):
        row[index] += value
    if row[5] is not None:
        row[5] += cost(model, *counts)

print(json.dumps(sorted([*key, *row] for key, row in rows.items())))
