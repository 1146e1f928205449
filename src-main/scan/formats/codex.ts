// Codex writes how much a session has used up to now. What a call used is what that grew by; the same sum is written again with news of
// limits, and a session that was forked from another begins with all that the other one had, under new times.

import { basename } from 'node:path'
import { readResponsesUsage } from '#dialect/responses/usage.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { readLines } from '#scan/lines.ts'
import { folderName, inner, textOf, timeOf, type LogFile, type LogFormat, type LogReader } from '#scan/log-format.ts'

const HEAD = '"session_meta"'
const COUNT = '"token_count"'

export function codexLogs(): LogFormat {
  const inherited = new Inherited()
  return {
    tool: 'codex',
    places: ['$CODEX_HOME', '~/.codex'],
    isLog: (path) => /^(sessions|archived_sessions)\/(.*\/)?rollout-[^/]*\.jsonl$/.test(path),
    // Beside its logs Codex has whole checkouts and caches.
    mayHold: (path) => /^(sessions|archived_sessions)(\/|$)/.test(path),
    marks: [HEAD, '"turn_context"', COUNT],
    open: async (file, files) => readerOf(await inherited.of(file, files)),
  }
}

/** `cached` is part of `input`. */
type Sums = { readonly input: number; readonly cached: number; readonly output: number }

const NONE: Sums = { input: 0, cached: 0, output: 0 }

function readerOf(inherited: ReadonlySet<string>): LogReader {
  let model = 'unknown'
  let project = ''
  let before = NONE
  let isInherited = inherited.size > 0
  return (line) => {
    const payload = inner(line, 'payload')
    project = folderName(textOf(payload['cwd'])) ?? project
    if (line['type'] === 'turn_context') model = textOf(payload['model']) ?? model
    const total = totalOf(payload)
    if (total === undefined) return undefined
    isInherited &&= inherited.has(keyOf(total))
    const used = isInherited ? NONE : usedSince(before, total, payload)
    before = total
    const usage = readResponsesUsage({
      input_tokens: used.input,
      input_tokens_details: { cached_tokens: used.cached },
      output_tokens: used.output,
    })
    if (used.input + used.output === 0 || usage === undefined) return undefined
    return { id: undefined, atMs: timeOf(line['timestamp']), model, project, usage }
  }
}

/** A sum that became less began anew: then the last call is what there is. */
function usedSince(before: Sums, total: Sums, payload: JsonObject): Sums {
  const grew = {
    input: total.input - before.input,
    cached: total.cached - before.cached,
    output: total.output - before.output,
  }
  if (Math.min(grew.input, grew.cached, grew.output) >= 0) return grew
  return sumsOf(inner(inner(payload, 'info'), 'last_token_usage'))
}

function totalOf(payload: JsonObject): Sums | undefined {
  if (payload['type'] !== 'token_count') return undefined
  const total = inner(inner(payload, 'info'), 'total_token_usage')
  return Object.keys(total).length === 0 ? undefined : sumsOf(total)
}

function sumsOf(sums: JsonObject): Sums {
  return {
    input: count(sums['input_tokens']),
    cached: count(sums['cached_input_tokens']),
    output: count(sums['output_tokens']),
  }
}

function count(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0
}

function keyOf({ input, cached, output }: Sums): string {
  return `${input} ${cached} ${output}`
}

/** The sums that sessions have of those that they were forked from. */
class Inherited {
  /** Children of one parent often lie beside each other, so that its sums are kept until another one is asked for. */
  #last: { readonly path: string; readonly sums: ReadonlySet<string> } | undefined

  /** None where a session is no fork, or its parent is not there any more. */
  async of(file: LogFile, files: readonly LogFile[]): Promise<ReadonlySet<string>> {
    const parentId = await parentOf(file.path)
    const parent = files.find(({ path }) => parentId !== undefined && basename(path).endsWith(`-${parentId}.jsonl`))
    if (parent === undefined || parent.path === file.path) return new Set()
    if (this.#last?.path !== parent.path) this.#last = { path: parent.path, sums: await sumsIn(parent.path) }
    return this.#last.sums
  }
}

async function sumsIn(path: string): Promise<ReadonlySet<string>> {
  const sums = new Set<string>()
  for await (const line of readLines(path, { marks: [COUNT], onLong })) {
    const total = totalOf(inner(line, 'payload'))
    if (total !== undefined) sums.add(keyOf(total))
  }
  return sums
}

/** From the first line, which says what the session is. */
async function parentOf(path: string): Promise<string | undefined> {
  for await (const line of readLines(path, { marks: [HEAD], onLong })) {
    return textOf(inner(line, 'payload')['forked_from_id'])
  }
  return undefined
}

/** It is counted where the file itself is read. */
const onLong = () => undefined
