// What was refused before it was admitted, counted in memory and written a second later. The same refusals one after another are one
// burst, so that neither a tool that tries again and again nor a stranger can have more written by asking more often.

import type { Catalog } from '#catalog/catalog.ts'
import { largest } from '#core/append.ts'
import { statusOf, type Refusal, type RefusalCode } from '#core/refusal.ts'
import { keptMessage, withTail, type RefusedBurst } from '#core/refused-call.ts'
import { uuidV7Time } from '#core/uuid.ts'
import type { Call } from '#pipeline/exchange.ts'
import type { Headers } from '#pipeline/ports.ts'
import { replyRefusal } from '#pipeline/reply.ts'

/** Refusals that are further apart begin a burst of their own, and so does one that comes after so long a burst. */
const APART_MS = 60_000
const LONGEST_MS = 60 * 60_000
/** Bursts that go on; beyond them keys and models are no longer told apart. */
const MAX_OPEN = 1000
const WRITE_MS = 1000
const MAX_MESSAGE = 300

export type RefusedCall = {
  readonly requestId: string
  /** undefined where no key was known. */
  readonly keyId: string | undefined
  readonly endpoint: string
  /** As the client named it; undefined where nobody read it. */
  readonly model: string | undefined
  readonly refusal: Refusal
}

type Open = { burst: RefusedBurst; isWritten: boolean }

export type RefusedCallsDeps = {
  readonly catalog: Pick<Catalog, 'model' | 'package' | 'key' | 'provider'>
  readonly save: (bursts: readonly RefusedBurst[]) => Promise<void>
}

export class RefusedCalls {
  /** How often since the start, by the code of the refusal. */
  readonly byCode = new Map<RefusalCode, number>()
  readonly #deps: RefusedCallsDeps
  readonly #open = new Map<string, Open>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(deps: RefusedCallsDeps) {
    this.#deps = deps
  }

  /** Nobody waits for it, and it never fails. */
  note(refused: RefusedCall): void {
    const { code } = refused.refusal
    this.byCode.set(code, (this.byCode.get(code) ?? 0) + 1)
    const burst = this.#burstOf(refused)
    const kind = kindOf(burst)
    const known = this.#open.get(kind)
    if (known !== undefined && follows(known.burst, burst.atMs)) {
      known.burst = together(known.burst, burst)
      known.isWritten = false
    } else if (known !== undefined || this.#open.size < MAX_OPEN) this.#begin(kind, burst)
    else this.#noteAmongOthers(burst)
    if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.write(), WRITE_MS).unref()
  }

  /** Writes what was only counted. Resolves also when it could not be written; then it is tried again with the next. */
  async write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const unwritten = Array.from(this.#open.values()).filter(({ isWritten }) => !isWritten)
    this.#forgetEnded()
    if (unwritten.length === 0) return
    for (const open of unwritten) open.isWritten = true
    try {
      await this.#deps.save(unwritten.map(({ burst }) => burst))
    } catch {
      // A full disk, as a rule: calls that cost nothing are the last thing that it is needed for.
      for (const open of unwritten) open.isWritten = false
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.write()
  }

  #begin(kind: string, burst: RefusedBurst): void {
    const earlier = this.#open.get(kind)
    // What the earlier one counted since it was last written would be lost.
    if (earlier !== undefined && !earlier.isWritten) this.#open.set(`${kind}\0${earlier.burst.id}`, earlier)
    this.#open.set(kind, { burst, isWritten: false })
  }

  /** Where there are too many kinds, what is left of one is its code: of those there is a table. */
  #noteAmongOthers(burst: RefusedBurst): void {
    const merged = { ...burst, keyId: undefined, modelId: undefined, endpoint: 'other', limitScope: undefined }
    const kind = kindOf(merged)
    const known = this.#open.get(kind)
    if (known === undefined || !follows(known.burst, burst.atMs)) this.#begin(kind, merged)
    else Object.assign(known, { burst: together(known.burst, merged), isWritten: false })
  }

  #forgetEnded(): void {
    const newestMs = largest(Array.from(this.#open.values(), ({ burst }) => burst.lastAtMs))
    for (const [kind, { burst, isWritten }] of this.#open) {
      if (isWritten && burst.lastAtMs + APART_MS < newestMs) this.#open.delete(kind)
    }
  }

  #burstOf({ requestId, keyId, endpoint, model, refusal }: RefusedCall): RefusedBurst {
    const { catalog } = this.#deps
    const isOwnName = (name: string) =>
      [catalog.model(name), catalog.package(name), catalog.key(name), catalog.provider(name)].some(Boolean)
    const atMs = uuidV7Time(requestId)
    return {
      id: requestId,
      lastId: requestId,
      keyId,
      endpoint,
      modelId: model === undefined ? undefined : catalog.model(model)?.id,
      code: refusal.code,
      status: statusOf(refusal),
      message: keptMessage(refusal, isOwnName).slice(0, MAX_MESSAGE),
      limit: refusal.limit?.name,
      limitScope: refusal.limit?.scope,
      count: 1,
      atMs,
      lastAtMs: atMs,
      tails: withTail('', requestId),
    }
  }
}

/** A request that waited was made before others that were refused at once. */
function follows({ atMs, lastAtMs }: RefusedBurst, nextMs: number): boolean {
  return nextMs <= lastAtMs + APART_MS && nextMs <= atMs + LONGEST_MS && nextMs >= atMs - APART_MS
}

function together(burst: RefusedBurst, next: RefusedBurst): RefusedBurst {
  const isLater = next.atMs >= burst.lastAtMs
  return {
    ...burst,
    // The latest words say until when it lasts.
    message: next.message,
    count: burst.count + 1,
    atMs: Math.min(burst.atMs, next.atMs),
    lastAtMs: Math.max(burst.lastAtMs, next.atMs),
    lastId: isLater ? next.id : burst.lastId,
    tails: withTail(burst.tails, next.id),
  }
}

function kindOf({ keyId, endpoint, modelId, code, status, limit, limitScope }: RefusedBurst): string {
  return JSON.stringify([keyId, endpoint, modelId, code, status, limit, limitScope])
}

type TurnedAway = { readonly call: Call; readonly refusal: Refusal; readonly model?: string }

/** Answers a call with a refusal before it is admitted, and notes that. */
export function turnAway(
  { call, refusal, model }: TurnedAway,
  { refused }: { readonly refused: Pick<RefusedCalls, 'note'> },
  headers: Headers = {},
): void {
  const { requestId, endpoint, caller, asked } = call
  refused.note({ requestId, keyId: caller.key.id, endpoint, model: model ?? asked?.model, refusal })
  replyRefusal(call, refusal, headers)
}
