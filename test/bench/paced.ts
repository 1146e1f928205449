// Calls at a steady pace, whether or not those before them were answered.
import { setTimeout as sleep } from 'node:timers/promises'
import { OtherStatus, type Client } from './load.ts'
import type { Exchange } from './payload.ts'

export type Outcome = {
  readonly answered: number
  /** By their status. */
  readonly refused: ReadonlyMap<number, number>
  /** Of those that were answered. */
  readonly tookMs: readonly number[]
  /** How many calls were really begun each second. */
  readonly perSecond: number
}

type Pace = { readonly perSecond: number; readonly seconds: number }

/** Each call goes to a client at random. Throws when an answer is wrong. */
export async function pacedCalls(
  clients: readonly Client[],
  exchange: Exchange,
  { perSecond, seconds }: Pace,
): Promise<Outcome> {
  const total = Math.round(perSecond * seconds)
  const running: Promise<Answer>[] = []
  const startedAtMs = performance.now()
  while (running.length < total) {
    const due = Math.min(total, Math.ceil(((performance.now() - startedAtMs) / 1000) * perSecond))
    while (running.length < due) running.push(answerOf(clients, exchange))
    await sleep(2)
  }
  const beganInSeconds = (performance.now() - startedAtMs) / 1000
  return { ...countOf(await settled(running)), perSecond: total / beganInSeconds }
}

/** All at once, in turn over the clients. Throws when an answer is wrong. */
export async function callsAtOnce(clients: readonly Client[], exchange: Exchange, calls: number) {
  const running = Array.from({ length: calls }, (_, index) => answerOf([clients[index % clients.length]], exchange))
  return countOf(await settled(running))
}

type Answer = { readonly tookMs: number } | { readonly status: number }

async function answerOf(clients: readonly (Client | undefined)[], exchange: Exchange): Promise<Answer> {
  const client = clients[Math.floor(Math.random() * clients.length)]
  if (client === undefined) throw new Error('there are no clients')
  try {
    return { tookMs: (await client.call(exchange)).totalMs }
  } catch (error) {
    if (error instanceof OtherStatus) return { status: error.status }
    throw error
  }
}

/** Waits for all of them also where one fails, so that no failure comes when nobody listens any more. */
async function settled(running: readonly Promise<Answer>[]): Promise<Answer[]> {
  const ends = await Promise.allSettled(running)
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  })
}

function countOf(answers: readonly Answer[]) {
  const refused = new Map<number, number>()
  const tookMs: number[] = []
  for (const answer of answers) {
    if ('tookMs' in answer) tookMs.push(answer.tookMs)
    else refused.set(answer.status, (refused.get(answer.status) ?? 0) + 1)
  }
  return { answered: tookMs.length, refused, tookMs }
}
