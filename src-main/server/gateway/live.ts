// Server-sent events for the dashboard: calls as they are recorded, and how the gateway is. Everything is made once, whoever
// listens, and nothing is made while nobody does. A reader that is too slow is sent away and asks again for what it missed.

import type { ServerResponse } from 'node:http'
import type { Alerts } from '#alert/alerts.ts'
import type { Catalog } from '#catalog/catalog.ts'
import { isInScope, keyScope, type KeyScope } from '#catalog/scope.ts'
import type { LiveStatus } from '#contract/reports.ts'
import type { UsageView } from '#contract/schemas.ts'
import type { Alert } from '#core/alerts.ts'
import { viewerId, type Viewer } from '#core/member.ts'
import { microToCredits, totalMicro } from '#core/money.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { RecordedCalls } from '#ledger/recorded.ts'
import type { UsageRecord } from '#ledger/rows.ts'
import type { OpenExchanges } from '#pipeline/open-exchanges.ts'
import { namesOf, recordedView } from '#reports/usage-view.ts'
import { alertView, maySeeAlert } from '#server/watch/alerts.ts'
import { countWaiting, type Queues } from '#server/gateway/waiting.ts'

export type MissedQuestion = {
  readonly lastId: string
  readonly keyIds: readonly string[] | undefined
  readonly most: number
}

/** A call of another gateway, as a list shows it. */
export type ShownCall = { readonly keyId: string; readonly view: UsageView }

export type LiveDeps = Queues & {
  readonly catalog: Catalog
  readonly ledger: Ledger
  readonly open: OpenExchanges
  readonly recorded: RecordedCalls
  /** Calls of other gateways that share the books, as they end; undefined where there are none. */
  readonly elsewhere?: { listen(listener: (calls: readonly ShownCall[]) => void): () => void } | undefined
  readonly alerts: Pick<Alerts, 'listen'>
  /** Calls that ended after one; undefined where they are too many to say. */
  readonly missed: (question: MissedQuestion) => Promise<readonly UsageView[] | undefined>
  readonly reportFault: (error: unknown, requestId: string) => void
}

export const LIVE_LIMITS = {
  streams: 32,
  /** Of a member or of whoever has a key; a browser keeps no more connections. */
  streamsOfOne: 8,
  /** What may wait for one reader. */
  bufferedBytes: 1024 * 1024,
  /** Calls that somebody who comes back is told of. */
  replayed: 200,
  lookMs: 1000,
  /** A comment after so many looks keeps the connection open. */
  looksPerPing: 15,
} as const

type Stream = {
  readonly viewer: Viewer
  readonly response: ServerResponse
  /** What came while the stream was still told what it had missed, by the id of the call. */
  held: Map<string, string> | undefined
  lastStatus: string
}

type ScopedStream = readonly [Stream, KeyScope]
type CallEvent = { readonly id: string; readonly keyId: string; readonly text: string }

export type Opening = {
  readonly viewer: Viewer
  readonly requestId: string
  /** The last call that the reader knows of. */
  readonly lastId: string | undefined
}

export class LiveEvents {
  readonly #deps: LiveDeps
  readonly #streams = new Set<Stream>()
  #stopListening: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #looks = 0
  #isClosed = false

  constructor(deps: LiveDeps) {
    this.#deps = deps
  }

  /** Why somebody can open no further stream now. */
  refusalFor(viewer: Viewer): Refusal | undefined {
    if (this.#isClosed) return refuse('overloaded', 'Farebox is shutting down.')
    const id = viewerId(viewer)
    const own = id === undefined ? [] : [...this.#streams].filter((stream) => viewerId(stream.viewer) === id)
    // Otherwise one of them could keep everybody else from seeing anything.
    const isShared = own.length < LIVE_LIMITS.streamsOfOne
    if (isShared && this.#streams.size < LIVE_LIMITS.streams) return undefined
    const readers = isShared ? `${LIVE_LIMITS.streams} readers` : `${LIVE_LIMITS.streamsOfOne} windows of yours`
    const message = `Events are sent to ${readers} already. Close another window and try again.`
    return refuse('overloaded', message, { retryAfterSeconds: 10 })
  }

  /** Sends events until the reader goes. Returns what ends the stream. */
  open(response: ServerResponse, { viewer, requestId, lastId }: Opening): () => void {
    const stream: Stream = { viewer, response, held: new Map(), lastStatus: '' }
    this.#streams.add(stream)
    response.once('close', () => this.#remove(stream))
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': requestId,
    })
    this.#stopListening ??= this.#listen()
    this.#timer ??= setInterval(() => this.#look(), LIVE_LIMITS.lookMs)
    this.#sendStatus(stream)
    void this.#catchUp(stream, { lastId, requestId })
    return () => this.#end(stream)
  }

  /** Ends all streams; none can be opened any more. */
  close(): void {
    this.#isClosed = true
    for (const stream of this.#streams) this.#end(stream)
  }

  /** First what was missed, then what came meanwhile. */
  async #catchUp(stream: Stream, { lastId, requestId }: Pick<Opening, 'lastId' | 'requestId'>): Promise<void> {
    const told = new Set<string>()
    try {
      for (const view of await this.#missed(stream, lastId)) {
        told.add(view.id)
        this.#write(stream, usageEvent(view))
      }
    } catch (error) {
      this.#deps.reportFault(error, requestId)
      this.#write(stream, MISSED)
    }
    const { held } = stream
    stream.held = undefined
    for (const [id, text] of held ?? []) if (!told.has(id)) this.#write(stream, text)
  }

  async #missed({ viewer, response }: Stream, lastId: string | undefined): Promise<readonly UsageView[]> {
    if (lastId === undefined) return []
    const scope = keyScope(viewer, this.#deps.catalog)
    const keyIds = scope === 'all' ? undefined : [...scope]
    const missed = await this.#deps.missed({ lastId, keyIds, most: LIVE_LIMITS.replayed })
    if (missed === undefined && !response.destroyed) response.write(MISSED)
    return missed ?? []
  }

  #publish(records: readonly UsageRecord[]): void {
    try {
      const scopes = this.#scopes()
      for (const record of records) this.#publishOne(record, scopes)
    } catch (error) {
      // The journal tells us of what it wrote; a mistake of ours must not stop it.
      this.#deps.reportFault(error, 'events')
    }
  }

  #publishOne(record: UsageRecord, scopes: readonly ScopedStream[]): void {
    const { catalog } = this.#deps
    const text = usageEvent(recordedView(record, namesOf(record, catalog)))
    this.#sendCall({ id: record.id, keyId: record.keyId, text }, scopes)
  }

  /** Without an id: whoever comes back is told of what it missed of this gateway. */
  #publishElsewhere(calls: readonly ShownCall[]): void {
    const scopes = this.#scopes()
    for (const { keyId, view } of calls) {
      const text = `event: usage\ndata: ${JSON.stringify(view)}\n\n`
      this.#sendCall({ id: view.id, keyId, text }, scopes)
    }
  }

  #sendCall({ id, keyId, text }: CallEvent, scopes: readonly ScopedStream[]): void {
    for (const [stream, scope] of scopes) {
      if (!isInScope(scope, keyId)) continue
      if (stream.held === undefined) this.#write(stream, text)
      // Whoever misses more than this while it is told of what it missed is told to read anew.
      else if (stream.held.size < LIVE_LIMITS.replayed) stream.held.set(id, text)
      else stream.held.set('', MISSED)
    }
  }

  #scopes(): ScopedStream[] {
    return Array.from(this.#streams, (stream) => [stream, keyScope(stream.viewer, this.#deps.catalog)] as const)
  }

  #listen(): () => void {
    const { recorded, alerts, elsewhere } = this.#deps
    const stops = [
      recorded.listen((records) => this.#publish(records)),
      alerts.listen((raised) => this.#tell(raised)),
      elsewhere?.listen((calls) => this.#publishElsewhere(calls)),
    ]
    return () => stops.forEach((stop) => stop?.())
  }

  /** Without an id: whoever comes back reads the list of alerts anew. */
  #tell(raised: readonly Alert[]): void {
    for (const alert of raised) {
      const text = `event: alert\ndata: ${JSON.stringify(alertView(alert))}\n\n`
      for (const stream of this.#streams) {
        if (maySeeAlert(stream.viewer, alert, this.#deps.catalog)) this.#write(stream, text)
      }
    }
  }

  #look(): void {
    this.#looks += 1
    for (const stream of this.#streams) {
      this.#sendStatus(stream)
      if (this.#looks % LIVE_LIMITS.looksPerPing === 0) this.#write(stream, ': ping\n\n')
    }
  }

  #sendStatus(stream: Stream): void {
    const text = `event: status\ndata: ${JSON.stringify(this.#statusOf(stream.viewer))}\n\n`
    if (text === stream.lastStatus) return
    stream.lastStatus = text
    this.#write(stream, text)
  }

  #statusOf(viewer: Viewer): LiveStatus {
    const { ledger, open, catalog } = this.#deps
    const scope = keyScope(viewer, catalog)
    const waiting = countWaiting(this.#deps, scope)
    if (scope === 'all') {
      const held_credits = microToCredits(ledger.heldMicro)
      return { ledger: ledger.state, open_exchanges: open.size, held_credits, waiting }
    }
    const heldMicro = [...scope].reduce((sum, keyId) => sum + ledger.balance(keyId).heldMicro, 0)
    const running = open.count((keyId) => scope.has(keyId))
    const held_credits = microToCredits(totalMicro(heldMicro))
    return { ledger: ledger.state, open_exchanges: running, held_credits, waiting }
  }

  #write(stream: Stream, text: string): void {
    const { response } = stream
    if (response.destroyed || response.writableEnded) return
    response.write(text)
    // It knows the last id that it read, and comes back with it.
    if (response.writableLength > LIVE_LIMITS.bufferedBytes) response.destroy()
  }

  #end(stream: Stream): void {
    stream.response.end()
    this.#remove(stream)
  }

  #remove(stream: Stream): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    this.#stopListening?.()
    this.#stopListening = undefined
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** More happened than can be told: the reader's lists are to be read anew. */
const MISSED = 'event: missed\ndata: {}\n\n'

function usageEvent(view: UsageView): string {
  return `event: usage\nid: ${view.id}\ndata: ${JSON.stringify(view)}\n\n`
}
