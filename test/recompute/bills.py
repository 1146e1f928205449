"""Recomputes the page Bills of Farebox from what goes in, and shares no code with it.

    python3 bills.py EXPORT PROVIDER_ID PAGE REPORT...

EXPORT is what `farebox ledger export` wrote, PAGE the answer of `farebox bills list --json`, and each REPORT the saved pages of a provider's
usage and cost interfaces, the later one last. Prints one line and exits 0 when every day has the same tokens and the same money to the
last digit, else what differs, and exits 1."""

import json
import sys
from collections import defaultdict
from datetime import datetime, timezone
from decimal import Decimal, getcontext

getcontext().prec = 60
CLASSES = ("input", "cache_read", "cache_write", "output")
# Providers report the usage of these in images, seconds or calls.
NO_TOKENS = ("images", "image-edits", "image-variations", "speech", "transcriptions", "translations", "moderations", "rerank")


def seconds(value):
    if isinstance(value, str):
        return int(datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp())
    return int(value)


def day_of(at):
    return datetime.fromtimestamp(at - at % 86400, timezone.utc).strftime("%Y-%m-%d")


def tokens_of(result):
    """A bill's own words: OpenAI has all of the input in one number, Anthropic each part of it."""
    if "uncached_input_tokens" in result:
        written = sum(result["cache_creation"].values())
        plain, read = result["uncached_input_tokens"], result["cache_read_input_tokens"]
    else:
        read, written = result.get("input_cached_tokens") or 0, result.get("input_cache_write_tokens") or 0
        plain = result["input_tokens"] - read - written
    return dict(zip(CLASSES, (plain, read, written, result["output_tokens"])))


def dollars_of(result):
    amount = result["amount"]
    if isinstance(amount, str):
        return result.get("currency", "USD").upper(), Decimal(amount) / 100
    return amount["currency"].upper(), Decimal(repr(amount["value"]))


def words(result):
    """What tells one line from another: all but its numbers."""
    return json.dumps({k: v for k, v in sorted(result.items()) if k != "amount" and not isinstance(v, (int, float, dict))})


def read_reports(paths):
    usage, costs, spans = {}, {}, {"usage": {}, "costs": {}}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            pages = json.load(file)
        for page in pages:
            for bucket in page["data"]:
                start = seconds(bucket.get("start_time", bucket.get("starting_at")))
                end = seconds(bucket.get("end_time", bucket.get("ending_at")))
                is_cost = page.get("report") == "costs" or any("amount" in one for one in bucket["results"])
                spans["costs" if is_cost else "usage"][start] = end
                for result in bucket["results"]:
                    (costs if is_cost else usage)[(start, words(result))] = result
    return usage, costs, spans


def read_export(path, provider, spans):
    """Our side: calls of the provider by the time in which they began."""
    tokens, money = defaultdict(lambda: dict.fromkeys(CLASSES, 0)), defaultdict(int)
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if row["line"] != "usage" or row["provider_id"] != provider or row["usage_source"] == "none":
                continue
            at = row["created_at_ms"] / 1000
            for kind in ("usage", "costs"):
                width = 3600 if kind == "usage" else 86400
                start = int(at - at % width)
                if spans[kind].get(start, 0) <= at:
                    continue
                if kind == "costs":
                    money[day_of(start)] += row["charge_micro"]
                    continue
                if row["endpoint"] in NO_TOKENS:
                    continue
                for name in CLASSES:
                    tokens[day_of(start)][name] += row[name + "_tokens"] or 0
    return tokens, money


def text(amount):
    """As few digits as say it."""
    plain = format(amount, "f")
    return (plain.rstrip("0").rstrip(".") or "0") if "." in plain else plain


def main(export, provider, page, reports):
    usage, costs, spans = read_reports(reports)
    our_tokens, our_money = read_export(export, provider, spans)
    their_tokens, their_money = defaultdict(lambda: dict.fromkeys(CLASSES, 0)), defaultdict(Decimal)
    for (start, _), result in usage.items():
        for name, count in tokens_of(result).items():
            their_tokens[day_of(start)][name] += count
    for (start, _), result in costs.items():
        currency, amount = dollars_of(result)
        if currency == "USD":
            # What is finer than twelve decimals is cut off.
            their_money[day_of(start)] += amount.quantize(Decimal(1).scaleb(-12), rounding="ROUND_DOWN")
    days = {kind: {day_of(start) for start in spans[kind]} for kind in spans}
    expected = {}
    for day in days["usage"] | days["costs"]:
        ours, theirs = Decimal(our_money[day]) / 1000000, their_money[day]
        money = {"ours": text(ours), "theirs": text(theirs), "difference": text(theirs - ours)}
        tokens = {"ours": our_tokens[day], "theirs": their_tokens[day]}
        expected[day] = (tokens if day in days["usage"] else None, money if day in days["costs"] else None)
    with open(page, encoding="utf-8") as file:
        shown = {one["day"]: (one["tokens"], one["money"]) for one in json.load(file)["days"]}
    problems = ["%s: %s, not %s" % (day, shown.get(day), expected.get(day)) for day in sorted(set(shown) | set(expected))
                if shown.get(day) != expected.get(day)]
    if problems:
        print("\n".join(problems[:20]))
        return 1
    print("ok: %d days, %d lines of usage and %d of costs" % (len(expected), len(usage), len(costs)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
