// Counts the corpus with the vendors' own tokenizers, records what they count for the tests, and prints how much a hold is short at most.
// `npm run estimates`; it installs the tokenizers, about 800 MB, into a folder that later runs share.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { corpus, GROUPS, OUTPUTS } from './corpus.ts'
import { boundsOf, ownTokenizers, type Bounds } from './judge.ts'
import { countWithOthers, type Tokenizer } from './tokenizers.ts'

const RECORD = join(import.meta.dirname, '..', 'fixtures', 'corpus', 'counts.json')

const texts = corpus()
const bounds = new Map([...texts].map(([kind, text]) => [kind, boundsOf(text)] as const))
const others = await countWithOthers(texts)
await writeFile(RECORD, `${JSON.stringify({ date: today(), tokenizers: others }, null, 2)}\n`)
const all = [...ownTokenizers(texts), ...others]
printTable(['tokenizer', ...Object.keys(GROUPS), 'a third of the bytes', 'closer', 'sure'], all.map(rowOf))
printTable(
  ['text', 'bytes', 'most tokens', 'by', 'a third of the bytes', 'closer', 'sure'],
  [...bounds].map(([kind, bound]) => rowOfKind(kind, bound)),
)

printTable(['text', 'ours', ...others.map(({ name }) => name)], OUTPUTS.map(rowOfOutput))

/** What we count, then what others count, with how many times as much ours is. */
function rowOfOutput(kind: string): string[] {
  const ours = all[0]?.counts[kind] ?? 0
  const theirs = others.map(({ counts }) => `${counts[kind] ?? 0} (${(ours / (counts[kind] ?? 1)).toFixed(2)})`)
  return [kind, String(ours), ...theirs]
}

/** Bytes per token of each group, then by how much each bound is exceeded at most. */
function rowOf({ name, counts }: Tokenizer): string[] {
  const groups = Object.values(GROUPS).map((kinds) => {
    const tokens = sumOf(kinds, (kind) => counts[kind] ?? 0)
    return (sumOf(kinds, (kind) => bounds.get(kind)?.bytes ?? 0) / tokens).toFixed(2)
  })
  const exceeded = (['old', 'closer', 'sure'] as const).map((which) =>
    Math.max(...[...bounds].map(([kind, bound]) => (counts[kind] ?? 0) / bound[which])).toFixed(2),
  )
  return [name, ...groups, ...exceeded]
}

function rowOfKind(kind: string, { bytes, old, closer, sure }: Bounds): string[] {
  const most = all.reduce((left, right) => ((right.counts[kind] ?? 0) > (left.counts[kind] ?? 0) ? right : left))
  const tokens = most.counts[kind] ?? 0
  const ratios = [old, closer, sure].map((bound) => (tokens / bound).toFixed(2))
  return [kind, String(bytes), String(tokens), most.name, ...ratios]
}

function sumOf(kinds: readonly string[], of: (kind: string) => number): number {
  return kinds.reduce((sum, kind) => sum + of(kind), 0)
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const row of [head, head.map(() => '---'), ...rows]) process.stdout.write(`| ${row.join(' | ')} |\n`)
  process.stdout.write('\n')
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}
