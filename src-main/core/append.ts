// Lists that the network or a database can make long. `list.push(...items)` puts every item on the stack, which ends at some
// hundred thousand of them with a RangeError: a request of 400,001 small messages was a mistake of ours.

/** Puts items behind those of a list. */
export function append<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item)
}

/** The largest of some numbers; `atLeast` where none is larger. */
export function largest(numbers: Iterable<number>, atLeast = -Infinity): number {
  let most = atLeast
  for (const number of numbers) if (number > most) most = number
  return most
}
