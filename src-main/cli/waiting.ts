// farebox waiting: who waits at this moment and why, and what runs.

import { table, time, view } from '#cli/output.ts'
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

function waitingTable({ waiting: calls, waiting_calls: count }: WaitingView): string {
  const headers = ['SINCE', 'KEY', 'MEMBER', 'MODEL', 'WAITS FOR', 'PLACE', 'GOES ON', 'GIVES UP', 'REQUEST']
  const rows = calls.map((call) => [
    seconds(call.since),
    call.key,
    call.member,
    call.model,
    reasonText(call),
    call.place,
    seconds(call.expected_at),
    seconds(call.until),
    call.id,
  ])
  const rest = count > calls.length ? `\n\nThese are ${calls.length} of ${count}.` : ''
  return table(headers, rows, 'No call waits.') + rest
}

function runningTable({ running }: WaitingView): string {
  const rows = running.map((key) => [key.key, key.member, key.calls, time(key.oldest_at)])
  return table(['KEY', 'MEMBER', 'RUNNING', 'OLDEST SINCE'], rows, 'No call runs.')
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
