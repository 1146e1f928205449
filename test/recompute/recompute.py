"""Recomputes the books of Farebox from `farebox ledger export` and shares no code with it.

    farebox ledger export - | python3 recompute.py
    python3 recompute.py FILE

Prints one line and exits 0 when every amount agrees to the last micro-credit, else the problems, and exits 1."""

import json
import sys
from collections import defaultdict
PRICED = {  # each class: what its price is called in details, and the parts of it that can have a price of their own
    "input": ("inputMicro", ("input_audio", "input_image")),
    "output": ("outputMicro", ("reasoning", "output_audio", "output_image")),
    "cache_read": ("cacheReadMicro", ("cache_read_audio", "cache_read_image")),
    "cache_write": ("cacheWriteMicro", ("cache_write_1h",)),
}
MILLION = 1000000


class Books:
    def __init__(self):
        self.problems, self.counts, self.end = [], defaultdict(int), None
        self.keys, self.prices = set(), {}
        self.sums = defaultdict(int)  # of a key
        self.cycles = defaultdict(lambda: [0, 0, 0])  # of a key's cycle: sum, granted, charged
        self.requests = defaultdict(int)
        self.balances = {}
        self.holds = {}  # open: exchange -> entry
        self.resolved = {}  # exchange -> (hold, resolution), until its usage record comes
        self.last_seq, self.last_exchange = 0, ""

    def wrong(self, text):
        self.problems.append(text)

    def read(self, line):
        row = json.loads(line)
        kind = row["line"]
        if self.end is not None or (kind == "header") != (not self.counts):
            self.wrong("the lines are not in their order")
        self.counts[kind] += 1
        # Of kinds that a later version adds nothing can be wrong here but their count.
        getattr(self, "read_" + kind, lambda row: None)(row)

    def read_header(self, row):
        if row["format"] != 1:
            self.wrong("format %s is not known" % row["format"])

    def read_key(self, row):
        self.keys.add(row["id"])

    def read_price(self, row):
        price = {called: row[name + "_micro"] for name, (called, _) in PRICED.items()}
        self.prices[(row["model_id"], row["version"])] = dict(price, **json.loads(row.get("details") or "{}"))

    def read_entry(self, row):
        key, exchange, charge = row["key_id"], row["exchange_id"], row["charge_micro"]
        if row["seq"] != self.last_seq + 1:
            self.wrong("entries between %d and %d are missing" % (self.last_seq, row["seq"]))
        self.last_seq = row["seq"]
        if key not in self.keys:
            self.wrong("entry %d is of a key that is not there" % row["seq"])
        self.sums[key] += row["amount_micro"]
        cycle = self.cycles[(key, row["cycle_started_at_ms"])]
        cycle[0] += row["amount_micro"]
        cycle[1] += row["amount_micro"] if row["kind"] in ("grant", "adjustment") else 0
        if row["kind"] == "hold":
            self.requests[key] += 1
            if exchange in self.holds or exchange in self.resolved:
                self.wrong("call %s was held twice" % exchange)
            self.holds[exchange] = row
        elif charge is not None:
            cycle[2] += charge
            self.resolve(row, self.holds.pop(exchange, None))

    def resolve(self, row, hold):
        exchange, charge = row["exchange_id"], row["charge_micro"]
        if hold is None:
            return self.wrong("call %s was resolved without a hold, or twice" % exchange)
        if row["amount_micro"] != -hold["amount_micro"] - charge:
            self.wrong("call %s did not get back its hold less its charge" % exchange)
        if (row["kind"] == "release") != (charge == 0):
            self.wrong("call %s has a charge that its kind of entry cannot have" % exchange)
        if any(row[name] != hold[name] for name in ("key_id", "cycle_started_at_ms", "model_id", "price_version")):
            self.wrong("call %s is not the one of its hold" % exchange)
        self.resolved[exchange] = (hold, row)

    def read_usage(self, row):
        exchange = row["id"]
        if exchange <= self.last_exchange:
            self.wrong("call %s has two usage records" % exchange)
        self.last_exchange = exchange
        hold, resolution = self.resolved.pop(exchange, (None, None))
        if resolution is None:
            return self.wrong("call %s has a usage record and no charge" % exchange)
        for name in ("key_id", "model_id", "price_version", "charge_micro"):
            if row[name] != resolution[name]:
                self.wrong("call %s has another %s in its usage record" % (exchange, name))
        if row["hold_micro"] < -hold["amount_micro"]:
            self.wrong("call %s held less than its entry says" % exchange)
        if row["charge_micro"] != self.charge(row):
            self.wrong("call %s was charged %d and costs %s" % (exchange, row["charge_micro"], self.charge(row)))

    def charge(self, row):
        """What was counted times prices per million, rounded up once."""
        if row["usage_source"] == "none":
            return 0
        prices = self.prices.get((row["model_id"], row["price_version"]))
        if prices is None:
            return "an unknown price" if row["charge_micro"] else 0
        details = json.loads(row.get("details") or "{}")
        counted = dict(details.get("parts", {}), reasoning=row["reasoning_tokens"] or 0)
        whole = sum(row[name + "_tokens"] or 0 for name in PRICED if name != "output")
        rates, factor = rates_of(prices, details.get("tier"), whole)
        millionths = 0
        for name, (called, parts) in PRICED.items():
            left = row[name + "_tokens"] or 0
            for part in parts:
                if part in rates.get("parts", {}):
                    tokens = min(left, counted.get(part, 0))
                    left -= tokens
                    millionths += tokens * up(rates["parts"][part] * factor)
            millionths += left * up(rates[called] * factor)
        for unit, count in dict(details.get("units", {}), request=1).items():
            millionths += count * unit_price(prices.get("units", {}), unit)
        return min(max(up(millionths), prices.get("minimumMicro", 0)), 4 * 10**15)

    def read_balance(self, row):
        self.balances[row["key_id"]] = row

    def read_end(self, row):
        self.end = row["counts"]
        if any(self.counts[name] != count for name, count in self.end.items()):
            self.wrong("the last line counts other lines than there are")

    def close(self):
        if self.end is None:
            self.wrong("the file was cut off: its last line is missing")
        for exchange in self.resolved:
            self.wrong("call %s was charged and has no usage record" % exchange)
        for key in set(self.sums) | set(self.balances):
            self.compare(key)
        for (key, cycle), (total, _, _) in self.cycles.items():
            if key in self.balances and cycle != self.balances[key]["cycle_started_at_ms"] and total != 0:
                self.wrong("key %s: the cycle of %d has ended and sums to %d" % (key, cycle, total))

    def compare(self, key):
        stored = self.balances.get(key)
        if stored is None:
            return self.wrong("key %s has entries and no balance" % key)
        _, granted, used = self.cycles.get((key, stored["cycle_started_at_ms"]), (0, 0, 0))
        mine = (("available_micro", self.sums[key]), ("granted_micro", granted), ("used_micro", used))
        for name, value in (*mine, ("request_count", self.requests[key])):
            if stored[name] != value:
                self.wrong("key %s: %s is stored as %d and is %d" % (key, name, stored[name], value))


def up(millionths):
    return -(-millionths // MILLION)


def rates_of(price, tier, tokens):
    """The prices of a tier at the length of an input, and the factor on them."""
    ladder, factor = price.get("tiers", {}).get(tier, price), MILLION
    if "factorMicro" in ladder:
        ladder, factor = price, ladder["factorMicro"]
    reached = [step["rates"] for step in ladder.get("steps", []) if tokens > step["aboveTokens"]]
    return (reached or [ladder])[-1], factor


def unit_price(prices, unit):
    """Its own, else that of what it is a kind of, else the dearest of its kind."""
    names = unit.split("/")
    for count in range(len(names), 0, -1):
        if "/".join(names[:count]) in prices:
            return prices["/".join(names[:count])]
    return max([price for name, price in prices.items() if name.startswith(names[0] + "/")], default=0)


def main(argv):
    books = Books()
    with (sys.stdin if argv[:1] in ([], ["-"]) else open(argv[0], encoding="utf-8")) as lines:
        for line in lines:
            books.read(line)
    books.close()
    if books.problems:
        print("\n".join(books.problems[:20]))
        return 1
    print("agrees: %(key)d keys, %(entry)d entries, %(usage)d usage records, %(balance)d balances" % books.counts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
