// farebox waiting: who waits at this moment and why, and what runs.

import { tableOf, time, view, type Columns } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'
import type { WaitingView } from '#contract/waiting.ts'

const waiting = verb({
  name: 'waiting',
  usage: '',
  summary: 'lists the calls that wait and what they wait for, and counts those that run',
  flags: {},
  whenStopped: view({ state: 'stopped' }, 'stopped'),
  async run(client) {
    const answer = await client.call('listWaiting', {})
    return view(answer, [waitingTable(answer), runningTable(answer)].join('\n\n'))
  },
})

export const WAITING_VERBS = [waiting]

type Waiting = WaitingView['waiting'][number]

const WAITING: Columns<Waiting> = {
  SINCE: (call) => seconds(call.since),
  KEY: (call) => call.key,
  MEMBER: (call) => call.member,
  MODEL: (call) => call.model,
  'WAITS FOR': reasonText,
  PLACE: (call) => call.place,
  'GOES ON': (call) => seconds(call.expected_at),
  'GIVES UP': (call) => seconds(call.until),
  REQUEST: (call) => call.id,
}
const RUNNING: Columns<WaitingView['running'][number]> = {
  KEY: (key) => key.key,
  MEMBER: (key) => key.member,
  RUNNING: (key) => key.calls,
  'OLDEST SINCE': (key) => time(key.oldest_at),
}

function waitingTable({ waiting: calls, waiting_calls: count }: WaitingView): string {
  const rest = count > calls.length ? `\n\nThese are ${calls.length} of ${count}.` : ''
  return tableOf(WAITING, calls, 'No call waits.') + rest
}

function runningTable({ running }: WaitingView): string {
  return tableOf(RUNNING, running, 'No call runs.')
}

function reasonText({ reason, limit, provider }: Waiting): string {
  switch (reason) {
    case 'key_limit':
      return `${limit} of its key`
    case 'member_limit':
      return `${limit} of its member`
    case 'credits':
      return 'credits that other calls hold'
    case 'provider':
      return `a place at ${provider}`
    case 'retry':
      return 'asking its provider again'
  }
}

/** The time of day in UTC: waits are over within a minute. */
function seconds(timestamp: string | null): string | null {
  return timestamp === null ? null : timestamp.slice(11, 19)
}
