// farebox key …

import type { KeyView } from '#contract/schemas.ts'
import { listOrNone, number, text, textOrNone } from '#cli/flags.ts'
import { outlookText } from '#cli/outlook-text.ts'
import { facts, printable, time, view } from '#cli/output.ts'
import { listVerb, plainVerb } from '#cli/plain-verbs.ts'
import { requestBody } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'

const create = verb({
  name: 'key create',
  usage: 'NAME --package P [--owner M] [--expires 90d|never|DATE] [--project P] [--tags A,B] [--tool T]',
  summary: 'makes a key and prints it, once only',
  operand: 'NAME',
  flags: { package: text, owner: text, expires: text, project: text, tags: listOrNone, tool: text },
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

const list = listVerb({
  name: 'key list',
  summary: 'lists the keys with their balances',
  action: 'listKeys',
  columns: {
    NAME: (key) => key.name,
    'ENDS IN': (key) => key.hint,
    PACKAGE: (key) => key.package,
    OWNER: (key) => key.owner,
    STATUS: (key) => key.status,
    REMAINING: remaining,
    USED: ({ balance }) => balance.used_credits,
    RESETS: ({ balance }) => time(balance.next_reset_at),
    'AT THIS PACE': outlookText,
    REQUESTS: ({ balance }) => balance.total_requests,
    EXPIRES: (key) => time(key.expires_at) ?? 'never',
    'LAST USED': ({ balance }) => time(balance.last_used_at),
  },
  whenEmpty: 'There are no keys yet.',
})

const show = plainVerb({
  name: 'key show',
  summary: 'shows a key and its balance',
  operand: 'NAME',
  action: 'showKey',
  says: details,
})

const edit = plainVerb({
  name: 'key edit',
  usage: '[--project P|none] [--tags A,B|none] [--tool T|none]',
  summary: 'says what the calls of a key are counted to',
  operand: 'NAME',
  flags: { project: textOrNone, tags: listOrNone, tool: textOrNone },
  action: 'editKey',
  says: details,
})

const extend = plainVerb({
  name: 'key extend',
  usage: '--expires 90d|never|DATE',
  summary: 'moves the day a key expires',
  operand: 'NAME',
  flags: { expires: text },
  action: 'extendKey',
  says: (key) => `Key ${printable(key.name)} is ${printable(key.status)} and ${expiryOf(key.expires_at)}.`,
})

const topUp = plainVerb({
  name: 'key top-up',
  usage: '--credits N [--reason R] [--idempotency-id TEXT]',
  summary: 'adds credits to a key',
  operand: 'NAME',
  flags: { credits: number, reason: text, idempotency_id: text },
  action: 'topUpKey',
  says: creditsText,
})

const adjust = plainVerb({
  name: 'key adjust',
  usage: '--credits N --reason R [--idempotency-id TEXT]',
  summary: 'corrects the credits of a key; a negative number takes credits away',
  operand: 'NAME',
  flags: { credits: number, reason: text, idempotency_id: text },
  action: 'adjustKey',
  says: creditsText,
})

const move = plainVerb({
  name: 'key move',
  usage: '--package P',
  summary: 'gives a key another package',
  operand: 'NAME',
  flags: { package: text },
  action: 'moveKey',
  says: (key) => {
    const sentence = `Key ${printable(key.name)} is in package ${printable(key.package)} now`
    return `${sentence} and has ${remaining(key)} credits remaining.`
  },
})

const rotate = plainVerb({
  name: 'key rotate',
  usage: '[--overlap 24h|7d|none] [--expires 90d|never|DATE]',
  summary: 'gives a key a new value and prints it, once only',
  operand: 'NAME',
  flags: { overlap: text, expires: text },
  action: 'rotateKey',
  says: (key) => {
    const until = key.previous_valid_until
    const old = until === null ? 'The old value is refused from now on' : `The old value works until ${time(until)}`
    const lines = [
      `Key ${printable(key.name)} has a new value, ${expiryOf(key.expires_at)}. ${old}. It is shown only this once:`,
      '',
      `  ${printable(key.key)}`,
    ]
    return lines.join('\n')
  },
})

export const KEY_VERBS = [
  create,
  list,
  show,
  edit,
  change('suspend', 'suspendKey', 'stops a key until it is resumed'),
  change('resume', 'resumeKey', 'lets a suspended key be used again'),
  extend,
  topUp,
  adjust,
  move,
  rotate,
  change('revoke', 'revokeKey', 'ends a key for good'),
]

function change(word: string, action: 'suspendKey' | 'resumeKey' | 'revokeKey', summary: string) {
  return plainVerb({
    name: `key ${word}`,
    summary,
    operand: 'NAME',
    action,
    says: (key) => {
      const notice = key.notice === undefined ? '' : ` ${printable(key.notice)}`
      return `Key ${printable(key.name)} is ${printable(key.status)}.${notice}`
    },
  })
}

function creditsText(key: KeyView): string {
  return `Key ${printable(key.name)} has ${remaining(key)} credits remaining.`
}

function expiryOf(expiresAt: string | null): string {
  return expiresAt === null ? 'never expires' : `expires ${time(expiresAt)}`
}

/** The contract has no number for a key whose package is unlimited. */
function remaining(key: KeyView): string | number {
  return key.balance.remaining_credits ?? 'unlimited'
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
    'at this pace': outlookText(key),
    requests: balance.total_requests,
    'last used': time(balance.last_used_at),
  })
}
