// farebox key …

import type { AdminAction, AdminApi } from '#contract/admin-api.ts'
import type { KeyView } from '#contract/schemas.ts'
import { number, text } from '#cli/flags.ts'
import { facts, printable, table, time, view } from '#cli/output.ts'
import { requestBody } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'

const create = verb({
  name: 'key create',
  usage: 'NAME --package P [--owner M] [--expires 90d|never|DATE]',
  summary: 'makes a key and prints it, once only',
  operand: 'NAME',
  flags: { package: text, owner: text, expires: text },
  async run(client, { name, flags }) {
    const key = await client.call('createKey', { body: requestBody('createKey', { name, ...flags }) })
    const lines = [
      `Key ${printable(key.name)} is created, ${expiryOf(key.expires_at)}. It is shown only this once:`,
      '',
      `  ${printable(key.key)}`,
    ]
    return view(key, lines.join('\n'))
  },
})

const list = verb({
  name: 'key list',
  usage: '',
  summary: 'lists the keys with their balances',
  flags: {},
  async run(client) {
    const keys = await client.call('listKeys', {})
    const headers = [
      'NAME',
      'ENDS IN',
      'PACKAGE',
      'OWNER',
      'STATUS',
      'REMAINING',
      'USED',
      'REQUESTS',
      'EXPIRES',
      'LAST USED',
    ]
    return view(keys, table(headers, keys.map(row), 'There are no keys yet.'))
  },
})

const show = verb({
  name: 'key show',
  usage: 'NAME',
  summary: 'shows a key and its balance',
  operand: 'NAME',
  flags: {},
  async run(client, { name }) {
    const key = await client.call('showKey', { id: name })
    return view(key, details(key))
  },
})

const extend = verb({
  name: 'key extend',
  usage: 'NAME --expires 90d|never|DATE',
  summary: 'moves the day a key expires',
  operand: 'NAME',
  flags: { expires: text },
  async run(client, { name, flags }) {
    const key = await client.call('extendKey', { id: name, body: requestBody('extendKey', flags) })
    return view(key, `Key ${printable(key.name)} is ${printable(key.status)} and ${expiryOf(key.expires_at)}.`)
  },
})

const topUp = verb({
  name: 'key top-up',
  usage: 'NAME --credits N [--reason R] [--idempotency-id TEXT]',
  summary: 'adds credits to a key',
  operand: 'NAME',
  flags: { credits: number, reason: text, idempotency_id: text },
  async run(client, { name, flags }) {
    const key = await client.call('topUpKey', { id: name, body: requestBody('topUpKey', flags) })
    return view(key, `Key ${printable(key.name)} has ${remaining(key)} credits remaining.`)
  },
})

const adjust = verb({
  name: 'key adjust',
  usage: 'NAME --credits N --reason R [--idempotency-id TEXT]',
  summary: 'corrects the credits of a key; a negative number takes credits away',
  operand: 'NAME',
  flags: { credits: number, reason: text, idempotency_id: text },
  async run(client, { name, flags }) {
    const key = await client.call('adjustKey', { id: name, body: requestBody('adjustKey', flags) })
    return view(key, `Key ${printable(key.name)} has ${remaining(key)} credits remaining.`)
  },
})

const move = verb({
  name: 'key move',
  usage: 'NAME --package P',
  summary: 'gives a key another package',
  operand: 'NAME',
  flags: { package: text },
  async run(client, { name, flags }) {
    const key = await client.call('moveKey', { id: name, body: requestBody('moveKey', flags) })
    const sentence = `Key ${printable(key.name)} is in package ${printable(key.package)} now`
    return view(key, `${sentence} and has ${remaining(key)} credits remaining.`)
  },
})

const rotate = verb({
  name: 'key rotate',
  usage: 'NAME [--overlap 24h|7d|none] [--expires 90d|never|DATE]',
  summary: 'gives a key a new value and prints it, once only',
  operand: 'NAME',
  flags: { overlap: text, expires: text },
  async run(client, { name, flags }) {
    const key = await client.call('rotateKey', { id: name, body: requestBody('rotateKey', flags) })
    const until = key.previous_valid_until
    const old = until === null ? 'The old value is refused from now on' : `The old value works until ${time(until)}`
    const lines = [
      `Key ${printable(key.name)} has a new value, ${expiryOf(key.expires_at)}. ${old}. It is shown only this once:`,
      '',
      `  ${printable(key.key)}`,
    ]
    return view(key, lines.join('\n'))
  },
})

type KeyChange = {
  readonly [Action in AdminAction]: AdminApi[Action]['path'] extends `/api/keys/{id}/${string}`
    ? AdminApi[Action] extends { readonly body: unknown }
      ? never
      : Action
    : never
}[AdminAction]

export const KEY_VERBS = [
  create,
  list,
  show,
  change('suspend', 'suspendKey', 'stops a key until it is resumed'),
  change('resume', 'resumeKey', 'lets a suspended key be used again'),
  extend,
  topUp,
  adjust,
  move,
  rotate,
  change('revoke', 'revokeKey', 'ends a key for good'),
]

function change(word: string, action: KeyChange, summary: string) {
  return verb({
    name: `key ${word}`,
    usage: 'NAME',
    summary,
    operand: 'NAME',
    flags: {},
    async run(client, { name }) {
      const key = await client.call(action, { id: name })
      const notice = key.notice === undefined ? '' : ` ${printable(key.notice)}`
      return view(key, `Key ${printable(key.name)} is ${printable(key.status)}.${notice}`)
    },
  })
}

function expiryOf(expiresAt: string | null): string {
  return expiresAt === null ? 'never expires' : `expires ${time(expiresAt)}`
}

/** The contract has no number for a key whose package is unlimited. */
function remaining(key: KeyView): string | number {
  return key.balance.remaining_credits ?? 'unlimited'
}

function row(key: KeyView) {
  const { balance } = key
  return [
    key.name,
    key.hint,
    key.package,
    key.owner,
    key.status,
    remaining(key),
    balance.used_credits,
    balance.total_requests,
    time(key.expires_at) ?? 'never',
    time(balance.last_used_at),
  ]
}

function details(key: KeyView): string {
  const { balance } = key
  return facts({
    name: key.name,
    id: key.id,
    'ends in': key.hint,
    package: key.package,
    owner: key.owner,
    status: key.status,
    created: time(key.created_at),
    'value since': time(key.value_since),
    'old value until': time(key.previous_valid_until),
    expires: time(key.expires_at) ?? 'never',
    'total credits': balance.total_credits ?? 'unlimited',
    'remaining credits': remaining(key),
    'used credits': balance.used_credits,
    'held credits': balance.held_credits,
    'cycle since': time(balance.cycle_started_at),
    'next reset': time(balance.next_reset_at),
    requests: balance.total_requests,
    'last used': time(balance.last_used_at),
  })
}
