// What llama.cpp's server tells about its models, for the search on this machine and for lists of models alike. It serves one model,
// or as a router several, which it loads when they are asked for.

import type { ModelKind } from '#core/entities.ts'
import { membersOf } from '#core/members.ts'

type Entry = Readonly<Record<string, unknown>>

/** Whether an entry of a list of models is this server's. */
export function isLlamaCpp(entry: Entry): boolean {
  return entry['owned_by'] === 'llamacpp'
}

/** A router says of each model whether it is loaded, and what it is started with. */
export function isRouted(entry: Entry): boolean {
  return typeof membersOf(entry['status'])['value'] === 'string'
}

/**
 * The kind of what a server serves that is no router, from its answer to a request for embeddings without any input: one that
 * makes embeddings misses the input (400), and one that does not says how to start it for them (501).
 */
export function kindByEmptyEmbeddings(status: number | undefined): ModelKind | undefined {
  if (status === 400) return 'embedding'
  return status === 501 ? 'chat' : undefined
}

/** What the arguments say with which a router starts a model. */
export function argumentsOf(entry: Entry): {
  readonly kind: ModelKind | undefined
  readonly contextWindow: number | undefined
} {
  const args: unknown = membersOf(entry['status'])['args']
  if (!Array.isArray(args)) return { kind: undefined, contextWindow: undefined }
  const words = args.filter((word) => typeof word === 'string')
  const isEmbedding = EMBEDDING_FLAGS.some((flag) => words.includes(flag))
  return { kind: isEmbedding ? 'embedding' : 'chat', contextWindow: contextOf(words) }
}

const EMBEDDING_FLAGS = ['--embedding', '--embeddings']
const CONTEXT_FLAGS = ['--ctx-size', '-c']
const PARALLEL_FLAGS = ['--parallel', '-np']
const UNIFIED_FLAGS = ['--kv-unified', '-kvu']
const MAX_TOKENS = 1_000_000_000

/** What one request may use: requests that are served at a time share what is loaded, unless they are told not to. */
function contextOf(words: readonly string[]): number | undefined {
  const size = numberAfter(words, CONTEXT_FLAGS)
  if (size === undefined || size > MAX_TOKENS) return undefined
  const isShared = !UNIFIED_FLAGS.some((flag) => words.includes(flag))
  return Math.floor(size / (isShared ? (numberAfter(words, PARALLEL_FLAGS) ?? 1) : 1)) || undefined
}

/** A whole number behind one of these flags, the last one as the server takes it; undefined also for 0, which leaves it to the server. */
function numberAfter(words: readonly string[], flags: readonly string[]): number | undefined {
  const place = words.findLastIndex((word) => flags.includes(word))
  const text = place === -1 ? '' : (words[place + 1] ?? '')
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
}
