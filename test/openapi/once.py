# Which edges of the document schemathesis asks about in the ordinary tests. Each operation is asked at least one of each kind of edge, valid and
# invalid, in its path, its query, its headers and its body. Beyond that, an edge of a member is asked of the first operation that has it, with
# two values: most members are in several operations, and most edges have several values.

import schemathesis

VALUES = 2

kinds = set()
owners = {}
counts = {}


@schemathesis.hook
def filter_case(context, case):
    edge = getattr(case.meta.phase.data, "scenario", None) if case.meta else None
    if edge is None:
        return True
    told = case.meta.phase.data
    kind = (case.meta.generation.mode, edge, told.parameter_location)
    member = (*kind, told.parameter, told.location, told.description)
    operation = case.operation.label
    counts[member] = counts.get(member, 0) + 1
    is_of_member = owners.setdefault(member, operation) == operation and counts[member] <= VALUES
    is_of_kind = (operation, *kind) not in kinds
    kinds.add((operation, *kind))
    return is_of_member or is_of_kind
