// Decides from a regular expression alone whether a search with it can take more than linear time. V8 searches by backtracking: it tries
// every path through the expression from every start. The time is super-linear if and only if some word leads from a state q to q, from q
// to another state p, and from p to p (Weber and Seidl, "On the degree of the ambiguity of finite automata", 1991), and the search does not
// end meanwhile. The search for a start is a loop in front of the expression. Bounded repetitions count as a few: they are constants.

import { RegExpParser, type AST } from '@eslint-community/regexpp'

/** The place before the first and behind the last character. */
const EDGE = -1
/** Repetitions beyond these change no growth. */
const MIN_COPIES = 3
const MORE_COPIES = 2

type Holds = (before: number, after: number) => boolean
type Node =
  | {
      readonly type: 'read'
      readonly raw: string
      readonly atoms: readonly number[]
      readonly next: Node
      /** Of what it is part of: the expression, or what a lookahead looks at. */
      readonly end: Node
      steps?: readonly Step[]
    }
  | { readonly type: 'fork'; readonly nexts: Node[] }
  | { readonly type: 'assert'; readonly holds: Holds; readonly next: Node }
  | { readonly type: 'end' }
type Reading = Extract<Node, { type: 'read' }>
type End = Extract<Node, { type: 'end' }>

/** What may come after a node without reading: the end, or a node that reads. */
type Step = { readonly to: Reading | End; readonly conditions: readonly Holds[] }

/** A character of kind `atom` was just read by `node`. `isEnd`: there is a match, whatever follows. */
type State = {
  readonly node: Reading
  readonly atom: number
  readonly isEnd: boolean
  readonly index: number
  readonly nexts: State[]
}

/** Where the growth comes from, in words; undefined for an expression that is searched for in linear time. */
export function superLinearPart(source: string, flags: string): string | undefined {
  const parsed = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  })
  const expression = new Expression(parsed, flags)
  const found = growthIn(expression, { isSearch: !flags.includes('y'), root: parsed.alternatives, isBackward: false })
  if (found !== undefined) return found
  for (const look of expression.looks) {
    const inLook = growthIn(expression, {
      isSearch: true,
      root: look.alternatives,
      isBackward: look.kind === 'lookbehind',
    })
    if (inLook !== undefined) return `${inLook} in ${look.raw}`
  }
  return undefined
}

type Root = {
  readonly isSearch: boolean
  readonly root: readonly AST.Alternative[]
  readonly isBackward: boolean
}

function growthIn(expression: Expression, { isSearch, root, isBackward }: Root): string | undefined {
  const end = newEnd()
  const entry: Node = { type: 'fork', nexts: [expression.alternatives(root, end, isBackward)] }
  const search: Reading = { type: 'read', raw: 'a later start', atoms: expression.atoms, next: entry, end }
  if (isSearch) entry.nexts.push(search)
  const states = reachableStates(entry, expression.atoms)
  return doubledStep(states) ?? twoWays(states)
}

/** The characters that an expression tells apart, and the automaton of its parts. */
class Expression {
  readonly atoms: readonly number[]
  /** Those that look further than one character; each is searched for at every place. */
  readonly looks: AST.LookaroundAssertion[] = []
  readonly #flags: string
  #end = newEnd()
  readonly #members = new Map<string, ReadonlySet<number>>()

  constructor(parsed: AST.Pattern, flags: string) {
    this.#flags = flags
    const classFlags = flags.replaceAll(/[^iuvs]/g, '')
    const raws = [...new Set([...readersIn(parsed), '\\w', '[\\n\\r\\u2028\\u2029]'])]
    const tests = raws.map((raw) => new RegExp(`^(?:${raw})$`, classFlags))
    const kinds = new Map<string, number>()
    for (const character of alphabet(parsed, flags)) {
      const kind = tests.map((test) => Number(test.test(character))).join('')
      if (!kinds.has(kind)) kinds.set(kind, kinds.size)
    }
    this.atoms = [...kinds.values()]
    for (const [index, raw] of raws.entries()) {
      const members = [...kinds].filter(([kind]) => kind[index] === '1').map(([, atom]) => atom)
      this.#members.set(raw, new Set(members))
    }
  }

  /** `next`: what comes behind all of them. What ends there ends with a match of its own where `next` is an end. */
  alternatives(all: readonly AST.Alternative[], next: Node, isBackward: boolean): Node {
    const around = this.#end
    if (next.type === 'end') this.#end = next
    const node = this.#anyOf(all, next, isBackward)
    this.#end = around
    return node
  }

  #anyOf(all: readonly AST.Alternative[], next: Node, isBackward: boolean): Node {
    const nexts = all.map(({ elements }) => {
      const inOrder = isBackward ? elements : elements.toReversed()
      return inOrder.reduce<Node>((after, element) => this.#element(element, after, isBackward), next)
    })
    return nexts.length === 1 && nexts[0] !== undefined ? nexts[0] : { type: 'fork', nexts }
  }

  #element(element: AST.Element, next: Node, isBackward: boolean): Node {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return this.alternatives(element.alternatives, next, isBackward)
      case 'Quantifier':
        return this.#repeated(element, next, isBackward)
      case 'Assertion':
        return this.#asserted(element, next, isBackward)
      case 'Backreference': {
        const [only, ...others] = readersIn(element.resolved)
        if (only !== undefined && others.length === 0 && isOneCharacter(element.resolved)) return this.#read(only, next)
        // Any text, of any length.
        const loop: Node = { type: 'fork', nexts: [next] }
        loop.nexts.push({ ...this.#read(element.raw, loop), atoms: this.atoms })
        return loop
      }
      default:
        return this.#read(element.raw, next)
    }
  }

  #read(raw: string, next: Node): Reading {
    return { type: 'read', raw, atoms: [...this.#atomsOf(raw)], next, end: this.#end }
  }

  #repeated({ element, min, max }: AST.Quantifier, next: Node, isBackward: boolean): Node {
    const once = (after: Node) => this.#element(element, after, isBackward)
    let node: Node = next
    if (max === Infinity) {
      const loop: Node = { type: 'fork', nexts: [next] }
      loop.nexts.push(once(loop))
      node = loop
    } else {
      for (let copy = Math.min(max - min, MORE_COPIES); copy > 0; copy--) {
        node = { type: 'fork', nexts: [once(node), next] }
      }
    }
    for (let copy = Math.min(min, MIN_COPIES); copy > 0; copy--) node = once(node)
    return node
  }

  #asserted(assertion: AST.Assertion, next: Node, isBackward: boolean): Node {
    if (assertion.kind !== 'lookahead' && assertion.kind !== 'lookbehind') {
      return { type: 'assert', holds: this.#edge(assertion, isBackward), next }
    }
    const holds = this.#seen(assertion, isBackward)
    if (holds !== undefined) return { type: 'assert', holds, next }
    if ((assertion.kind === 'lookahead') === isBackward) {
      this.looks.push(assertion)
      return next
    }
    // What it looks at is read on the way, and then again; whether it holds is not known.
    return { type: 'fork', nexts: [this.alternatives(assertion.alternatives, newEnd(), isBackward), next] }
  }

  #edge(assertion: AST.EdgeAssertion | AST.WordBoundaryAssertion, isBackward: boolean): Holds {
    const [words, lineEnds] = [this.#atomsOf('\\w'), this.#atomsOf('[\\n\\r\\u2028\\u2029]')]
    const isMultiline = this.#flags.includes('m')
    const isEdge = (atom: number) => atom === EDGE || (isMultiline && lineEnds.has(atom))
    const isAhead = (assertion.kind === 'end') !== isBackward
    if (assertion.kind === 'word') {
      return (before, after) => (words.has(before) !== words.has(after)) !== assertion.negate
    }
    return isAhead ? (_before, after) => isEdge(after) : (before) => isEdge(before)
  }

  /** Whether one that looks at one character holds; undefined for one that looks further. */
  #seen(look: AST.LookaroundAssertion, isBackward: boolean): Holds | undefined {
    const options = look.alternatives.map(({ elements }) => (elements.length === 1 ? elements[0] : undefined))
    const tests = options.map((option): ((atom: number) => boolean) | undefined => {
      if (option?.type === 'Assertion' && option.kind === (look.kind === 'lookahead' ? 'end' : 'start')) {
        return (atom) => atom === EDGE
      }
      const isReader = option !== undefined && READERS.has(option.type)
      return isReader ? (atom) => this.#atomsOf(option.raw).has(atom) : undefined
    })
    if (tests.includes(undefined)) return undefined
    const isSeen = (atom: number) => tests.some((test) => test?.(atom) === true) !== look.negate
    const isAhead = (look.kind === 'lookahead') !== isBackward
    return isAhead ? (_before, after) => isSeen(after) : (before) => isSeen(before)
  }

  #atomsOf(raw: string): ReadonlySet<number> {
    return this.#members.get(raw) ?? new Set()
  }
}

function newEnd(): End {
  return { type: 'end' }
}

function isOneCharacter(group: AST.CapturingGroup | AST.CapturingGroup[]): boolean {
  return !Array.isArray(group) && group.alternatives.every(({ elements }) => elements.length === 1)
}

const READERS: ReadonlySet<string> = new Set([
  'Character',
  'CharacterSet',
  'CharacterClass',
  'ExpressionCharacterClass',
])

/** What reads one character, as it is written. */
function readersIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  if (Array.isArray(node)) return node.flatMap(readersIn)
  const { type, raw } = node as { readonly type?: string; readonly raw: string }
  if (type !== undefined && READERS.has(type)) return [raw]
  const { alternatives, elements, element } = node as Record<string, unknown>
  return [alternatives, elements, element].flatMap(readersIn)
}

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
const BEYOND = Array.from('\u0085\u00a0éßſİıK\u0301\u2028\u2029\ufeff\u2800中\uff1d\u200b\ue000\ud800')

/** One of each kind of character, those that the expression names included. */
function alphabet(parsed: AST.Pattern, flags: string): ReadonlySet<string> {
  const isUnicode = /[uv]/.test(flags)
  const named = Array.from(parsed.raw).filter((character) => isUnicode || character.length === 1)
  const escaped = parsed.raw.matchAll(/\\u\{?([0-9a-f]{4,6})\}?|\\x([0-9a-f]{2})/gi)
  const codes = [...escaped].map(([, unicode = '', byte = unicode]) => String.fromCodePoint(Number.parseInt(byte, 16)))
  return new Set([...ASCII, ...BEYOND, ...(isUnicode ? ['😀'] : ['\ud83d', '\ude00']), ...named, ...codes])
}

/** Every way from a node to the next one that reads. A loop is gone round once without reading, as the engine does. */
function stepsFrom(node: Node): Step[] {
  const steps: Step[] = []
  const go = (at: Node, conditions: readonly Holds[], passed: readonly Node[]) => {
    if (at.type === 'read') steps.push({ to: at, conditions })
    else if (at.type === 'end') steps.push({ to: at, conditions })
    else if (at.type === 'assert') go(at.next, [...conditions, at.holds], passed)
    else if (!passed.includes(at)) for (const next of at.nexts) go(next, conditions, [...passed, at])
  }
  go(node, [], [])
  return steps
}

function reachableStates(entry: Node, atoms: readonly number[]): readonly State[] {
  const states = new Map<Reading, Map<number, State>>()
  const all: State[] = []
  const stateOf = (node: Reading, atom: number): State => {
    const ofNode = states.get(node) ?? new Map<number, State>()
    states.set(node, ofNode)
    const known = ofNode.get(atom)
    if (known !== undefined) return known
    const steps = (node.steps ??= stepsFrom(node.next))
    const ends = (after: number) =>
      steps.some(({ to, conditions }) => to === node.end && conditions.every((holds) => holds(atom, after)))
    const takesAll =
      node.atoms.length === atoms.length && steps.some(({ to, conditions }) => to === node && conditions.length === 0)
    const isEnd = [...atoms, EDGE].every(ends) || (takesAll && ends(EDGE))
    const state: State = { node, atom, isEnd, index: all.length, nexts: [] }
    ofNode.set(atom, state)
    all.push(state)
    return state
  }
  const follow = (steps: readonly Step[], before: number) =>
    steps.flatMap(({ to, conditions }) =>
      to.type === 'end'
        ? []
        : to.atoms.filter((atom) => conditions.every((holds) => holds(before, atom))).map((atom) => stateOf(to, atom)),
    )
  follow(stepsFrom(entry), EDGE)
  for (const state of all) state.nexts.push(...follow(state.node.steps ?? [], state.atom))
  return all
}

/** A way round that can be gone in two ways without reading anything between: exponential. */
function doubledStep(states: readonly State[]): string | undefined {
  const rounds = roundsIn(states, (state) => state.nexts)
  for (const state of states) {
    const twice = state.nexts.find((next, index) => state.nexts.indexOf(next) !== index && isIn(rounds, state, next))
    if (twice !== undefined && !state.isEnd) return `${twice.node.raw} after ${state.node.raw}, in two ways`
  }
  return undefined
}

type Pair = { readonly q: State; readonly p: State }

/** A word that leads from q to q, from q to p and from p to p. */
function twoWays(states: readonly State[]): string | undefined {
  const rounds = roundsIn(states, (state) => state.nexts)
  const looping = states.filter((state) => rounds.has(state))
  const pairs = new Map<number, Pair>()
  const pairOf = (q: State, p: State) => {
    const id = q.index * states.length + p.index
    const pair = pairs.get(id) ?? { q, p }
    pairs.set(id, pair)
    return pair
  }
  const nextPairs = ({ q, p }: Pair) =>
    q.nexts
      .filter((next) => isIn(rounds, q, next))
      .flatMap((nextQ) =>
        p.nexts
          .filter((nextP) => nextP.atom === nextQ.atom && !nextP.isEnd && isIn(rounds, p, nextP))
          .map((nextP) => pairOf(nextQ, nextP)),
      )
  for (const q of looping) for (const p of looping) if (q !== p && q.atom === p.atom && !p.isEnd) pairOf(q, p)
  const pairRounds = roundsIn([...pairs.values()], nextPairs)
  const tried = new Set<number>()
  for (const [pair, round] of pairRounds) {
    if (pair.q === pair.p || tried.has(round)) continue
    tried.add(round)
    if (canChange(pair, (one) => nextPairs(one).filter((next) => pairRounds.get(next) === round))) {
      return `${pair.p.node.raw} beside ${pair.q.node.raw}`
    }
  }
  return undefined
}

/** Whether a word that leads back to the pair leads from its q to its p as well. */
function canChange(pair: Pair, nextsOf: (pair: Pair) => readonly Pair[]): boolean {
  const seen = new Map<Pair, Set<State>>()
  const waiting: [Pair, State][] = [[pair, pair.q]]
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    const [at, between] = item
    for (const next of nextsOf(at)) {
      const seenThere = seen.get(next) ?? new Set()
      seen.set(next, seenThere)
      for (const state of between.nexts) {
        if (state.atom !== next.q.atom || seenThere.has(state)) continue
        if (next === pair && state === pair.p) return true
        seenThere.add(state)
        waiting.push([next, state])
      }
    }
  }
  return false
}

function isIn<Item>(rounds: ReadonlyMap<Item, number>, one: Item, other: Item): boolean {
  return rounds.has(one) && rounds.get(one) === rounds.get(other)
}

/** The number of the strongly connected component of each item that can lead back to itself (Tarjan, without recursion). */
function roundsIn<Item>(items: readonly Item[], nextsOf: (item: Item) => readonly Item[]): Map<Item, number> {
  const rounds = new Map<Item, number>()
  const order = new Map<Item, number>()
  const low = new Map<Item, number>()
  const open: Item[] = []
  const isOpen = new Set<Item>()
  for (const start of items) {
    if (order.has(start)) continue
    const path: { item: Item; nexts: readonly Item[]; at: number }[] = []
    const enter = (item: Item) => {
      low.set(item, order.size)
      order.set(item, order.size)
      open.push(item)
      isOpen.add(item)
      path.push({ item, nexts: nextsOf(item), at: 0 })
    }
    const lower = (item: Item, to: number) => low.set(item, Math.min(low.get(item) ?? to, to))
    enter(start)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.nexts[top.at]
      top.at += 1
      if (next !== undefined) {
        if (!order.has(next)) enter(next)
        else if (isOpen.has(next)) lower(top.item, order.get(next) ?? 0)
        continue
      }
      path.pop()
      const { item, nexts } = top
      const parent = path.at(-1)
      if (parent !== undefined) lower(parent.item, low.get(item) ?? 0)
      if (low.get(item) !== order.get(item)) continue
      const members = open.splice(open.indexOf(item))
      for (const member of members) {
        isOpen.delete(member)
        if (members.length > 1 || nexts.includes(item)) rounds.set(member, order.get(item) ?? 0)
      }
    }
  }
  return rounds
}
