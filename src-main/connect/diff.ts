// Differences between two texts by lines (Myers): for the preview, and for taking an edit back from a text that changed elsewhere.

/** Lines `start` to `end` of one text have become lines `toStart` to `toEnd` of the other. */
export type Hunk = { readonly start: number; readonly end: number; readonly toStart: number; readonly toEnd: number }

/** More lines than this in difference are one block: finding the least of them would take too long. */
const MAX_DIFFERENCES = 1_000
const CONTEXT_LINES = 3

/** Lines with their ends. */
export function linesOf(text: string): string[] {
  return text === '' ? [] : (text.match(/[^\n]+\n?|\n/g) ?? [])
}

function hunksBetween(from: readonly string[], to: readonly string[]): Hunk[] {
  let start = 0
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1
  let tail = 0
  while (tail < from.length - start && tail < to.length - start && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1
  const kept = matches(from.slice(start, from.length - tail), to.slice(start, to.length - tail))
  const same = kept.map(([left, right]) => [left + start, right + start] as const)
  return gaps([...same, [from.length - tail, to.length - tail]], start)
}

/** What is between lines that are the same; the last pair is where the common end begins. */
function gaps(pairs: readonly (readonly [number, number])[], from: number): Hunk[] {
  const hunks: Hunk[] = []
  let start = from
  let toStart = from
  for (const [end, toEnd] of pairs) {
    if (end > start || toEnd > toStart) hunks.push({ start, end, toStart, toEnd })
    start = end + 1
    toStart = toEnd + 1
  }
  return hunks
}

/** Pairs of lines that stay, in order. */
function matches(from: readonly string[], to: readonly string[]): [number, number][] {
  const trace: Map<number, number>[] = []
  let reach = new Map<number, number>([[1, 0]])
  for (let distance = 0; distance <= MAX_DIFFERENCES; distance++) {
    trace.push(reach)
    const next = new Map(reach)
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      let x = stepAt(reach, { diagonal, distance })
      while (x < from.length && x - diagonal < to.length && from[x] === to[x - diagonal]) x += 1
      next.set(diagonal, x)
      if (x >= from.length && x - diagonal >= to.length) return walkBack(trace, from.length, to.length)
    }
    reach = next
  }
  return []
}

type Move = { readonly diagonal: number; readonly distance: number }

function stepAt(reach: ReadonlyMap<number, number>, { diagonal, distance }: Move): number {
  const below = reach.get(diagonal + 1) ?? 0
  const left = reach.get(diagonal - 1) ?? 0
  return isDown(reach, { diagonal, distance }) ? below : left + 1
}

function isDown(reach: ReadonlyMap<number, number>, { diagonal, distance }: Move): boolean {
  if (diagonal === -distance) return true
  if (diagonal === distance) return false
  return (reach.get(diagonal - 1) ?? 0) < (reach.get(diagonal + 1) ?? 0)
}

function walkBack(trace: readonly ReadonlyMap<number, number>[], fromLength: number, toLength: number) {
  const pairs: [number, number][] = []
  let x = fromLength
  let y = toLength
  for (let distance = trace.length - 1; distance >= 0; distance--) {
    const reach = trace[distance] ?? new Map<number, number>()
    const diagonal = x - y
    const previous = isDown(reach, { diagonal, distance }) ? diagonal + 1 : diagonal - 1
    const previousX = reach.get(previous) ?? 0
    const previousY = previousX - previous
    while (x > previousX && y > previousY && x > 0 && y > 0) pairs.push([--x, --y])
    x = previousX
    y = previousY
  }
  return pairs.reverse()
}

type SidedHunk = Hunk & { readonly isMine: boolean }

/** Whether it cannot be told what comes first of a change and of an earlier one by the other side. */
function isInConflict(earlier: SidedHunk, change: SidedHunk): boolean {
  if (change.start > earlier.end) return false
  const [insertion, other] = isInsertion(change) ? [change, earlier] : [earlier, change]
  if (!isInsertion(insertion) || isInsertion(other)) return true
  const isBeside = insertion.start === other.start || insertion.start === other.end
  return !isBeside && other.toStart < other.toEnd
}

function isInsertion({ start, end }: Hunk): boolean {
  return start === end
}

/**
 * `base` with both changes, to `mine` and to `theirs`; undefined where the two are to the same lines. What one of them puts beside or
 * between lines that the other one takes away has its place all the same.
 */
export function merged(base: string, mine: string, theirs: string): string | undefined {
  const lines = linesOf(base)
  const [mineLines, theirLines] = [linesOf(mine), linesOf(theirs)]
  const changes = [
    ...hunksBetween(lines, mineLines).map((hunk) => ({ ...hunk, isMine: true, lines: mineLines })),
    ...hunksBetween(lines, theirLines).map((hunk) => ({ ...hunk, isMine: false, lines: theirLines })),
  ].sort((a, b) => a.start - b.start || a.end - b.end)
  const result: string[] = []
  let at = 0
  const last: { mine?: SidedHunk; theirs?: SidedHunk } = {}
  for (const change of changes) {
    const earlier = change.isMine ? last.theirs : last.mine
    if (earlier !== undefined && isInConflict(earlier, change)) return undefined
    result.push(lines.slice(at, change.start).join(''), change.lines.slice(change.toStart, change.toEnd).join(''))
    at = Math.max(at, change.end)
    last[change.isMine ? 'mine' : 'theirs'] = change
  }
  return [...result, lines.slice(at).join('')].join('')
}

/** The difference as `diff -u` writes it, without its first two lines. */
export function unifiedDiff(before: string, after: string): string {
  const [from, to] = [linesOf(before), linesOf(after)]
  const hunks = hunksBetween(from, to)
  const groups = hunks.reduce<Hunk[][]>((made, hunk) => {
    const group = made.at(-1)
    const last = group?.at(-1)
    if (group === undefined || last === undefined || hunk.start - last.end > 2 * CONTEXT_LINES) return [...made, [hunk]]
    group.push(hunk)
    return made
  }, [])
  return groups.map((group) => groupText(group, from, to)).join('')
}

function groupText(group: readonly Hunk[], from: readonly string[], to: readonly string[]): string {
  const [first, last] = [group[0], group.at(-1)]
  if (first === undefined || last === undefined) return ''
  const start = Math.max(0, first.start - CONTEXT_LINES)
  const end = Math.min(from.length, last.end + CONTEXT_LINES)
  const toStart = first.toStart - (first.start - start)
  const toEnd = last.toEnd + (end - last.end)
  const marked = (mark: string, lines: readonly string[]) => lines.map((line) => `${mark}${line}`)
  const lines = group.flatMap((hunk, index) => [
    ...marked(' ', from.slice(group[index - 1]?.end ?? start, hunk.start)),
    ...marked('-', from.slice(hunk.start, hunk.end)),
    ...marked('+', to.slice(hunk.toStart, hunk.toEnd)),
  ])
  const shown = [...lines, ...marked(' ', from.slice(last.end, end))]
  const whole = shown.map((line) => (line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`))
  return `@@ -${place(start, end)} +${place(toStart, toEnd)} @@\n${whole.join('')}`
}

function place(start: number, end: number): string {
  return `${end === start ? start : start + 1},${end - start}`
}
