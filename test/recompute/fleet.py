"""Recomputes the balances that gateways share from the list of changes and the gateways' own entries, and shares no code with them.

Reads lines of JSON: rows of the tables in PostgreSQL (change, account, lease, charged, doubt), and `entry` lines of `farebox ledger export` with the
gateway whose they are. Prints one line and exits 0 when every amount agrees to the last micro-credit, else the problems, and exits 1."""

import json
import sys
from collections import defaultdict


def read(lines):
    tables = defaultdict(list)
    for line in lines:
        row = json.loads(line)
        tables[row["line"]].append(row)
    return tables


def granted_by_changes(changes, accounts):
    """What each cycle of a key was granted: exactly where it was opened by a change, else without what it began with."""
    cycles = defaultdict(list)
    for row in accounts:
        cycles[row["key_id"]].append(row["cycle"])
    opened, added, by_hand = {}, defaultdict(int), defaultdict(int)
    packages, package_of, credits_of = {}, {}, defaultdict(set)

    def at(key, when):
        return (key, max([c for c in cycles[key] if c <= when] or [0]))

    def add(key, when, amount):
        if amount >= 0:
            added[at(key, when)] += amount
        else:
            by_hand[at(key, when)] -= amount

    for change in sorted(changes, key=lambda row: row["version"]):
        body, when = change["body"], change["made_at_ms"]
        for key, cycle, _, granted, used, *rest in body["openings"]:
            if rest[2] != "unlimited":
                opened[(key, cycle)] = max(0, granted)
                by_hand[(key, cycle)] += max(0, -granted)
        for row in body["adjustments"]:
            add(row["keyId"], when, row["amountMicro"])
        for row in body["terms"]:
            before = packages.get(package_of.get(row["keyId"]), 0)
            add(row["keyId"], when, row["terms"]["creditsMicro"] - before)
        for row in body["rows"]:
            if row["type"] == "put-package":
                packages[row["package"]["id"]] = row["package"].get("creditsMicro", 0)
            if row["type"] == "put-key":
                package_of[row["key"]["id"]] = row["key"]["packageId"]
        for key, package in package_of.items():
            credits_of[key].add(packages.get(package, 0))
    return opened, added, by_hand, credits_of


def problems_of(tables):
    accounts = tables["account"]
    opened, added, by_hand, credits_of = granted_by_changes(tables["change"], accounts)
    leased, charged, own, doubted = (defaultdict(int) for _ in range(4))
    for row in tables["lease"]:
        leased[(row["key_id"], row["cycle"])] += row["amount"]
    for row in tables["doubt"]:
        if row["settled_as"] == "charged":
            doubted[(row["gateway"], row["key_id"], row["cycle"])] += row["amount"]
    for row in tables["entry"]:
        # What a gateway charged by itself, before it shared its books, counts in the cycles that it brought.
        if row["charge_micro"] and not (row["is_own"] and (row["key_id"], row["cycle_started_at_ms"]) not in opened):
            own[(row["gateway"], row["key_id"], row["cycle_started_at_ms"])] += row["charge_micro"]
    gateways = {row["gateway"] for row in tables["entry"]}
    for row in tables["charged"]:
        place = (row["gateway"], row["key_id"], row["cycle"])
        charged[place[1:]] += row["amount"]
        expected = own.pop(place, 0) + doubted.pop(place, 0) if row["gateway"] in gateways else None
        if row["gateway"] == "":
            expected = by_hand[place[1:]]
        if expected is not None and row["amount"] != expected:
            yield "%s charged %d for %s by the shared books, and %d by its own" % (place[0], row["amount"], place[1], expected)
    for place, amount in own.items():
        yield "%s charged %d for %s, of which the shared books know nothing" % (place[0], amount, place[1])
    for row in accounts:
        place = (row["key_id"], row["cycle"])
        granted, used, held, free, owed = (row[name] for name in ("granted", "used", "leased", "free", "owed"))
        if min(granted, used, held, free, owed) < 0 or granted != used + held + free:
            yield "%s does not add up" % (place,)
        if held != leased[place]:
            yield "%s has leased %d, and gateways have %d" % (place, held, leased[place])
        if used + owed != charged[place]:
            yield "%s was charged %d, and has used and owes %d" % (place, charged[place], used + owed)
        bases = [opened[place]] if place in opened else credits_of[place[0]]
        if granted - added[place] not in bases:
            yield "%s was granted %d, and changes say %s and %d more" % (place, granted, sorted(bases), added[place])
        if used > granted:
            yield "%s has used %d of %d" % (place, used, granted)


tables = read(sys.stdin)
problems = list(problems_of(tables))
print("\n".join(problems) or "%d balances, %d charges: all agree" % (len(tables["account"]), len(tables["charged"])))
sys.exit(1 if problems or not tables["account"] else 0)
