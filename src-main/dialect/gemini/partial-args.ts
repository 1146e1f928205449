// Arguments of a function call that come member by member, as Vertex streams them: each piece names its place by a JSON path
// such as `$.recipe.ingredients[0].name`, and a text may come in several pieces for the same place.

import { brokenOutput, UpstreamFailure } from '#core/failure.ts'
import { isRecord } from '#dialect/request-body.ts'

type Branch = Map<string, Node>
type List = Node[]
type Leaf = string | number | boolean | null
type Node = Branch | List | Leaf

/** Deeper, or with more members, than any real call; a path costs nothing to send and could name any place. */
const MAX_STEPS = 64
const MAX_PIECES = 100_000
const STEP = /\.([^.[\]]+)|\[(\d{1,7})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y

export class PartialArgs {
  readonly #root: Branch = new Map()
  #pieces = 0

  add(pieces: unknown): void {
    if (!Array.isArray(pieces)) return
    for (const piece of pieces) {
      this.#pieces += 1
      if (this.#pieces > MAX_PIECES) throw new UpstreamFailure('too_large', 'The provider sent too large a tool call.')
      if (isRecord(piece)) this.#place(stepsOf(piece['jsonPath']), leafOf(piece))
    }
  }

  /** The arguments so far as JSON text. */
  text(): string {
    return JSON.stringify(plain(this.#root))
  }

  #place(steps: readonly (string | number)[], leaf: Leaf): void {
    let node: Branch | List = this.#root
    for (const [depth, step] of steps.entries()) {
      const next = steps[depth + 1]
      if (next === undefined) {
        const known = childOf(node, step)
        setChild(node, step, typeof known === 'string' && typeof leaf === 'string' ? known + leaf : leaf)
        return
      }
      let child = childOf(node, step)
      if (!(child instanceof Map) && !Array.isArray(child)) {
        child = typeof next === 'number' ? [] : new Map()
        setChild(node, step, child)
      }
      node = child
    }
  }
}

function stepsOf(path: unknown): readonly (string | number)[] {
  if (typeof path !== 'string' || !path.startsWith('$') || path.length > 4096) throw unreadable()
  const steps: (string | number)[] = []
  STEP.lastIndex = 1
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path)
    if (match === null || steps.length >= MAX_STEPS) throw unreadable()
    const [, name, index, single, double] = match
    steps.push(index === undefined ? (name ?? unquoted(single ?? double ?? '')) : Number(index))
  }
  if (steps.length === 0 || typeof steps[0] === 'number') throw unreadable()
  return steps
}

function unquoted(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1')
}

function leafOf(piece: Readonly<Record<string, unknown>>): Leaf {
  const { stringValue, numberValue, boolValue } = piece
  if (typeof stringValue === 'string') return stringValue
  if (typeof numberValue === 'number') return numberValue
  if (typeof boolValue === 'boolean') return boolValue
  // A text that goes on starts with no value at all where its first piece is empty.
  return 'nullValue' in piece ? null : ''
}

function childOf(node: Branch | List, step: string | number): Node | undefined {
  if (node instanceof Map) return node.get(String(step))
  return typeof step === 'number' ? node[step] : undefined
}

/** Lists grow by one place at a time: the model writes them in order, and a far index would be a hole of any size. */
function setChild(node: Branch | List, step: string | number, child: Node): void {
  if (node instanceof Map) node.set(String(step), child)
  else if (typeof step === 'number' && step <= node.length) node[step] = child
  else throw unreadable()
}

function plain(node: Node): unknown {
  if (node instanceof Map) return Object.fromEntries([...node].map(([name, child]) => [name, plain(child)]))
  return Array.isArray(node) ? node.map(plain) : node
}

function unreadable(): UpstreamFailure {
  return brokenOutput('The provider sent arguments of a tool call that cannot be put together.')
}
