"""Recomputes the page Bills of Farebox from what goes in, and shares no code with it; prices are read as in recompute.py beside it.

    python3 bills.py EXPORT PROVIDER_ID PAGE REPORT...

EXPORT is what `farebox ledger export` wrote, PAGE the answer of `farebox bills list --json`, and each REPORT the saved pages of a provider's
usage and cost interfaces, the later one last. Prints one line and exits 0 when every day has the same tokens, the same money to the
last digit and as much of it for tokens that differ, and says that a price differs exactly where money is left over that neither
tokens nor rounding can have made; else what differs, and exits 1."""

import json
import re
import sys
from collections import defaultdict
from datetime import datetime, timezone
from decimal import Decimal, getcontext

from recompute import MILLION, PRICED, rates_of, unit_price, up

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


def name_of(model):
    """One name for a model: bills add the day of a snapshot, and write points as dashes."""
    plain = re.sub(r"[\s._]+", "-", model.strip().lower())
    return re.sub(r"-(\d{4}-\d{2}-\d{2}|\d{8})$", "", plain)


class Ours:
    """Our side: calls of the provider by the time in which they began."""

    def __init__(self, path, provider, spans):
        self.tokens = defaultdict(lambda: dict.fromkeys(CLASSES, 0))  # by hour and model
        self.micro, self.calls, self.units = defaultdict(int), defaultdict(int), defaultdict(int)  # by day and model
        self.prices = defaultdict(dict)
        known = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                if row["line"] == "price":
                    price = {called: row[name + "_micro"] for name, (called, _) in PRICED.items()}
                    known[(row["model_id"], row["version"])] = dict(price, **json.loads(row.get("details") or "{}"))
                if row["line"] == "usage" and row["provider_id"] == provider and row["usage_source"] != "none":
                    self.read(row, known, spans)

    def read(self, row, known, spans):
        at, model = row["created_at_ms"] / 1000, name_of(row["upstream_model"])
        day, hour = int(at - at % 86400), int(at - at % 3600)
        price = known.get((row["model_id"], row["price_version"]), {})
        units = json.loads(row.get("details") or "{}").get("units", {})
        if spans["costs"].get(day, 0) > at:
            self.micro[(day, model)] += row["charge_micro"]
            self.calls[(day, model)] += 1
            self.units[(day, model)] += sum(n * unit_price(price.get("units", {}), unit) for unit, n in units.items())
            self.prices[(day, model)][(row["model_id"], row["price_version"])] = price
        if spans["usage"].get(hour, 0) > at and row["endpoint"] not in NO_TOKENS:
            for name in CLASSES:
                self.tokens[(hour, model)][name] += row[name + "_tokens"] or 0


def reach_of(prices, kind):
    """The lowest and the highest price of a class or of its parts, in millionths of a micro-credit for each token."""
    called, parts = PRICED[kind]
    found = []
    for price in prices:
        ladders = [price, *price.get("tiers", {}).values()]
        lengths = [0] + [step["aboveTokens"] + 1 for ladder in ladders for step in ladder.get("steps", [])]
        for tier in (None, *price.get("tiers", {})):
            for length in lengths:
                rates, factor = rates_of(price, tier, length)
                named = [rates["parts"][part] for part in parts if part in rates.get("parts", {})]
                found += [up(micro * factor) for micro in (rates.get(called, 0), *named)]
    return min(found), max(found)


def worth_of(differences, prices):
    """What tokens that differ are worth, in millionths of a micro-credit; None for no bound."""
    if all(sum(one[kind] for one in differences) == 0 for kind in CLASSES):
        return 0, 0
    if not prices:
        return 0, None
    # Where a call costs more than what it counts, nobody knows how much of an amount is for how many calls.
    of_calls = any(price.get("minimumMicro", 0) or price.get("units", {}).get("request", 0) for price in prices)
    least = most = 0
    for kind in CLASSES:
        low, high = reach_of(prices, kind)
        for one in differences:
            least += one[kind] * (low if one[kind] > 0 else high)
            most += one[kind] * (high if one[kind] > 0 else low)
    counts = [one[kind] for one in differences for kind in CLASSES] if of_calls else []
    return None if min(counts, default=0) < 0 else least, None if max(counts, default=0) > 0 else most


def item_of(result):
    """The model that an amount is for; None where it is for something else than tokens."""
    if "cost_type" in result:
        return name_of(result["model"]) if result["cost_type"] == "tokens" else None
    found = re.match(r"(\S+), .*(input|output|tokens)", result.get("line_item") or "")
    return name_of(found.group(1)) if found else None


def places_of(result):
    amount = result["amount"]
    if isinstance(amount, str):
        return 2 - Decimal(amount).as_tuple().exponent
    return -Decimal(repr(amount["value"])).as_tuple().exponent


def judge(rest, row):
    """Why money is left over: no cause where it is rounding, else what it may be called."""
    slack = sum((10 ** (12 - min(12, max(2, places)))) // 2 for places in row["places"])
    is_rounding = lambda parts: -slack - row["calls"] * MILLION <= parts <= slack
    if is_rounding(rest) or row["calls"] == 0:
        return None
    if rest < 0 and (rest >= -row["units"] or is_rounding(rest + row["units"])):
        return "tool_fees"
    expected, theirs = row["ours"] + row["taken"], row["theirs"]
    is_jump = expected > 0 and theirs > 0 and not expected <= 100 * theirs <= 10000 * expected
    return "unexplained" if theirs < 0 or is_jump else "price_differs"


def text(amount):
    """As few digits as say it."""
    plain = format(amount, "f")
    return (plain.rstrip("0").rstrip(".") or "0") if "." in plain else plain


def compute(ours, usage, costs, spans):
    """By day: tokens, money, and the causes of money that no tokens have."""
    their_tokens = defaultdict(lambda: dict.fromkeys(CLASSES, 0))
    for (start, _), result in usage.items():
        for name, count in tokens_of(result).items():
            their_tokens[(start, name_of(result["model"]))][name] += count
    their_money, apart, places = defaultdict(int), defaultdict(int), defaultdict(list)
    for (start, _), result in costs.items():
        currency, amount = dollars_of(result)
        if currency != "USD":
            continue
        # What is finer than twelve decimals is cut off.
        parts, model = int(amount.scaleb(12)), item_of(result)
        if model is None:
            apart[start] += parts
            continue
        their_money[(start, model)] += parts
        places[(start, model)].append(places_of(result))
    differences = defaultdict(list)
    for hour, model in set(their_tokens) | set(ours.tokens):
        mine, other = ours.tokens.get((hour, model)), their_tokens.get((hour, model))
        one = {kind: (other or {}).get(kind, 0) - (mine or {}).get(kind, 0) for kind in CLASSES}
        differences[(hour - hour % 86400, model)].append(one)
    days = {kind: {start - start % 86400 for start in spans[kind]} for kind in spans}
    expected = {}
    for day in days["usage"] | days["costs"]:
        shown = [dict.fromkeys(CLASSES, 0), dict.fromkeys(CLASSES, 0)]
        for side, counts in zip(shown, (ours.tokens, their_tokens)):
            for (hour, _), one in counts.items():
                for kind in CLASSES:
                    side[kind] += one[kind] if day <= hour < day + 86400 else 0
        sums, own = {"ours": 0, "theirs": apart[day], "taken": 0}, set()
        for model in {model for at, model in (*ours.micro, *their_money) if at == day}:
            place = (day, model)
            row = {"ours": ours.micro[place] * MILLION, "theirs": their_money[place], "calls": ours.calls[place]}
            row.update(places=places[place], units=ours.units[place])
            least, most = worth_of(differences[place], list(ours.prices[place].values()))
            gap = row["theirs"] - row["ours"]
            row["taken"] = gap if most is None else min(most, gap)
            row["taken"] = row["taken"] if least is None else max(least, row["taken"])
            for name in sums:
                sums[name] += row[name]
            own.add(judge(gap - row["taken"], row))
        ours_text, theirs_text = dollars(sums["ours"]), dollars(sums["theirs"])
        money = {"ours": ours_text, "theirs": theirs_text, "difference": dollars(sums["theirs"] - sums["ours"])}
        money["of_tokens"] = dollars(sums["taken"]) if day in days["usage"] else None
        tokens = {"ours": shown[0], "theirs": shown[1]} if day in days["usage"] else None
        expected[day_of(day)] = (tokens, money if day in days["costs"] else None, own - {None})
    return expected


def dollars(parts):
    return text(Decimal(parts).scaleb(-12))


def main(export, provider, page, reports):
    usage, costs, spans = read_reports(reports)
    expected = compute(Ours(export, provider, spans), usage, costs, spans)
    problems = []
    with open(page, encoding="utf-8") as file:
        shown = {one["day"]: one for one in json.load(file)["days"]}
    for day in sorted(set(shown) | set(expected)):
        one, (tokens, money, own) = shown.get(day, {}), expected.get(day, (None, None, set()))
        if (one.get("tokens"), one.get("money")) != (tokens, money):
            problems.append("%s: %s, not %s" % (day, (one.get("tokens"), one.get("money")), (tokens, money)))
        causes = set(one.get("causes", ()))
        if not own <= causes or ("price_differs" in causes) != ("price_differs" in own):
            problems.append("%s: %s, and money is left over for %s" % (day, sorted(causes), sorted(own)))
    if problems:
        print("\n".join(problems[:20]))
        return 1
    print("ok: %d days, %d lines of usage and %d of costs" % (len(expected), len(usage), len(costs)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
