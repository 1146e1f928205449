// What is under way at the moment, in the order in which it began. A Set makes a new table each time that enough has come and gone, and
// the old table points to the new one: once one of them is old, the garbage collector keeps everything that stood in those after it until
// it goes through the whole heap. What is taken out of this list is not reachable from it any more.

/** Where an item stands in a list. */
export class Place<Item> {
  readonly #list: CurrentList<Item>
  /** undefined once it left. These three are the list's own. */
  item: Item | undefined
  before: Place<Item> | undefined
  after: Place<Item> | undefined = undefined

  constructor(list: CurrentList<Item>, item: Item, before: Place<Item> | undefined) {
    this.#list = list
    this.item = item
    this.before = before
  }

  /** Takes the item out; may be called again. */
  leave(): void {
    this.#list.remove(this)
  }
}

export class CurrentList<Item> implements Iterable<Item> {
  #first: Place<Item> | undefined
  #last: Place<Item> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The item that has been in it for longest. */
  get first(): Item | undefined {
    return this.#first?.item
  }

  add(item: Item): Place<Item> {
    const place = new Place(this, item, this.#last)
    if (this.#last === undefined) this.#first = place
    else this.#last.after = place
    this.#last = place
    this.#size += 1
    return place
  }

  /** Does nothing for a place that was left before. */
  remove(place: Place<Item>): void {
    if (place.item === undefined) return
    const { before, after } = place
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    place.item = undefined
    place.before = undefined
    place.after = undefined
    this.#size -= 1
  }

  /** What is in it when this begins, without what leaves meanwhile. */
  *[Symbol.iterator](): Generator<Item, void, undefined> {
    const places: Place<Item>[] = []
    for (let place = this.#first; place !== undefined; place = place.after) places.push(place)
    for (const { item } of places) if (item !== undefined) yield item
  }
}
