// The life of an announcement on one network, RFC 6762: look whether the name is free, say what there is, answer who asks, and take
// it back at the end. It never takes another name, because the certificate would not be for that one.

import { additionsTo, announced, answersTo, conflictIn, recordsOf, takenBack, yieldsTo } from '#lan/mdns-records.ts'
import type { Conflict, Service, ServiceRecords } from '#lan/mdns-records.ts'
import { readMessage, writeQuery, writeResponse } from '#lan/mdns-packets.ts'
import type { Message, OwnRecord, Sender } from '#lan/mdns-packets.ts'

export type ResponderDeps = {
  readonly service: Service
  /** The port of mDNS: who asks from another one is no responder, and is answered alone. */
  readonly port: number
  readonly isOwn: (address: string) => boolean
  readonly send: (bytes: Buffer, to?: Sender) => void
  /** Milliseconds that only grow. */
  readonly nowMs: () => number
  readonly onAnnounced: () => void
  /** It has stopped by then, and said nothing more. */
  readonly onConflict: (conflict: Conflict) => void
}

/** RFC 6762, 8.1: three looks, a quarter of a second apart, begun at a random moment. */
const LOOKS = 3
const LOOK_MS = 250
/** RFC 6762, 8.2: how long one waits who has to let another one go first. */
const YIELD_MS = 1000
const MOST_YIELDS = 5
/** RFC 6762, 8.3: said twice. */
const SAY_AGAIN_MS = 1000
/** RFC 6762, 6: what several may answer is answered after a while, and nothing is said twice in a second, to defend a name four times. */
const LEAST_WAIT_MS = 20
const MOST_WAIT_MS = 120
const QUIET_MS = 1000
const QUIET_FOR_LOOKS_MS = 250
/** RFC 6762, 6.7: who is no responder must not keep for long what it is not told the end of. */
const MOST_ALONE_S = 10
const MOST_ALONE_PER_SECOND = 10
const SECOND_MS = 1000

export class Responder {
  readonly #deps: ResponderDeps
  readonly #records: ServiceRecords
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #pending = new Set<OwnRecord>()
  readonly #saidAtMs = new Map<OwnRecord, number>()
  #phase: 'looking' | 'announced' | 'ended' = 'looking'
  #looks = 0
  #yields = 0
  #alone = { sinceMs: 0, count: 0 }

  constructor(deps: ResponderDeps) {
    this.#deps = deps
    this.#records = recordsOf(deps.service)
  }

  start(): void {
    this.#after(Math.random() * LOOK_MS, () => this.#look())
  }

  /** What to say at the end; undefined where nothing was ever announced. */
  end(): Buffer | undefined {
    const wasAnnounced = this.#phase === 'announced'
    this.#quit()
    // Without the mark that nobody else has them: another responder of this machine may go on with the same address.
    const gone = announced(this.#records).map((record) => ({ ...record, ttl: 0, flush: false }))
    return wasAnnounced ? writeResponse({ answers: gone }) : undefined
  }

  hear(bytes: Buffer, from: Sender): void {
    const message = this.#phase === 'ended' ? undefined : readMessage(bytes)
    if (message === undefined) return
    // A response from any other port is none. RFC 6762, 6.
    if (message.isResponse && from.port === this.#deps.port) this.#hearResponse(message)
    if (message.isResponse) return
    if (this.#phase === 'looking') return this.#hearRival(message)
    const answers = answersTo(this.#records, message)
    if (answers.length === 0) return
    if (from.port === this.#deps.port) this.#answer(answers, message)
    else this.#answerAlone(answers, message, from)
  }

  #look(): void {
    if (this.#looks === LOOKS) return this.#announce()
    this.#looks += 1
    const { host, instance, address, service } = this.#records
    const questions = [host, instance].map((name) => ({ name, type: 'ANY' }))
    // Not the mark that asks for an answer to oneself alone: it would go to whichever program on this machine shares the port.
    this.#deps.send(writeQuery({ questions, proposed: [address, service] }))
    this.#after(LOOK_MS, () => this.#look())
  }

  #hearRival(message: Message): void {
    if (!yieldsTo(this.#records, message, this.#deps.isOwn)) return
    this.#yields += 1
    this.#clear()
    this.#looks = 0
    // Whoever goes first defends the name when it is looked for again; somebody who only wants to be in the way is believed in the end.
    const [rival] = message.proposed.filter(({ name }) => name === this.#records.host)
    if (this.#yields > MOST_YIELDS) return this.#lose({ type: 'host', address: rival?.value ?? '' })
    this.#after(YIELD_MS, () => this.#look())
  }

  #hearResponse(message: Message): void {
    const conflict = conflictIn(this.#records, message, this.#deps.isOwn)
    if (conflict !== undefined) return this.#lose(conflict)
    // Another responder of this machine ended, and took with it what both had said.
    if (this.#phase === 'announced') this.#answerSoon(takenBack(this.#records, message), 0)
  }

  /** Nothing is taken back: what was said may be the same as what the other one says. */
  #lose(conflict: Conflict): void {
    this.#quit()
    this.#deps.onConflict(conflict)
  }

  #announce(): void {
    this.#phase = 'announced'
    this.#say(announced(this.#records), QUIET_FOR_LOOKS_MS)
    this.#after(SAY_AGAIN_MS, () => this.#say(announced(this.#records), QUIET_FOR_LOOKS_MS))
    this.#deps.onAnnounced()
  }

  #answer(answers: readonly OwnRecord[], { proposed }: Message): void {
    if (proposed.length > 0) return this.#say(answers, QUIET_FOR_LOOKS_MS)
    const isShared = answers.some(({ flush }) => flush !== true)
    const waitMs = isShared ? LEAST_WAIT_MS + Math.random() * (MOST_WAIT_MS - LEAST_WAIT_MS) : 0
    this.#answerSoon(answers, waitMs)
  }

  /** What is asked for by several in the meantime is said once. */
  #answerSoon(answers: readonly OwnRecord[], waitMs: number): void {
    const isWaiting = this.#pending.size > 0
    for (const record of answers) this.#pending.add(record)
    if (isWaiting || this.#pending.size === 0) return
    this.#after(waitMs, () => {
      const due = [...this.#pending]
      this.#pending.clear()
      this.#say(due, QUIET_MS)
    })
  }

  /** To everybody, but for what everybody heard just now. */
  #say(records: readonly OwnRecord[], quietMs: number): void {
    const nowMs = this.#deps.nowMs()
    const isDue = (record: OwnRecord) => nowMs - (this.#saidAtMs.get(record) ?? -Infinity) >= quietMs
    const answers = records.filter(isDue)
    if (answers.length === 0) return
    const additionals = additionsTo(this.#records, answers).filter(isDue)
    for (const record of [...answers, ...additionals]) this.#saidAtMs.set(record, nowMs)
    this.#deps.send(writeResponse({ answers, additionals }))
  }

  /** RFC 6762, 6.7. An answer is larger than the question, so that there are not many of them. */
  #answerAlone(answers: readonly OwnRecord[], { id, questions }: Message, from: Sender): void {
    const nowMs = this.#deps.nowMs()
    if (nowMs - this.#alone.sinceMs >= SECOND_MS) this.#alone = { sinceMs: nowMs, count: 0 }
    this.#alone.count += 1
    if (this.#alone.count > MOST_ALONE_PER_SECOND) return
    const brief = (records: readonly OwnRecord[]) =>
      records.map((record) => ({ ...record, ttl: Math.min(record.ttl, MOST_ALONE_S), flush: false }))
    const asked = questions
      .filter(({ name }) => answers.some((record) => record.name === name))
      .map(({ asked }) => asked)
    const additionals = brief(additionsTo(this.#records, answers))
    this.#deps.send(writeResponse({ id, questions: asked, answers: brief(answers), additionals }), from)
  }

  #quit(): void {
    this.#phase = 'ended'
    this.#clear()
  }

  #clear(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    this.#pending.clear()
  }

  #after(waitMs: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      work()
    }, waitMs)
    this.#timers.add(timer)
  }
}
