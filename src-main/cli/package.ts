// farebox package …

import type { AdminClient } from '#cli/client.ts'
import { UsageError } from '#cli/errors.ts'
import { allOrList, number, text, textOrNone, toggle, type FlagTable } from '#cli/flags.ts'
import { givenLimits, LIMIT_CHANGE_FLAGS, LIMIT_FLAGS, mergedLimits } from '#cli/limit-changes.ts'
import { printable, time, view } from '#cli/output.ts'
import { listVerb, plainVerb } from '#cli/plain-verbs.ts'
import { group, requestBody } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'
import type { PackageView } from '#contract/schemas.ts'

const SETTING_FLAGS = { credits: number, timezone: text, models: allOrList, valid_until: text } satisfies FlagTable

const list = listVerb({
  name: 'package list',
  summary: 'lists the packages',
  action: 'listPackages',
  columns: {
    NAME: (entry) => entry.name,
    TYPE: (entry) => entry.type,
    CREDITS: (entry) => entry.credits,
    TIMEZONE: (entry) => entry.timezone,
    'REQ/MIN': ({ limits }) => limits.requests_per_minute,
    'TOK/MIN': ({ limits }) => limits.tokens_per_minute,
    'AT ONCE': ({ limits }) => limits.concurrent_requests,
    MODELS: ({ models }) => (models === 'all' ? 'all' : models.join(', ')),
    'VALID UNTIL': (entry) => time(entry.valid_until),
    KEYS: (entry) => entry.keys,
  },
  whenEmpty: 'There are no packages yet.',
})

const add = verb({
  name: 'package add',
  usage: [
    'NAME --type monthly|daily|topup|unlimited [--credits N] [--requests-per-minute N] [--tokens-per-minute N]',
    '[--concurrent-requests N] [--models a,b|all] [--timezone Z] [--valid-until D]',
  ].join(' '),
  summary: 'adds a package, from which keys get credits and limits',
  operand: 'NAME',
  flags: {
    type: text,
    ...SETTING_FLAGS,
    ...LIMIT_FLAGS,
  },
  async run(client, { name, flags }) {
    const { requests_per_minute, tokens_per_minute, concurrent_requests, ...fields } = flags
    const limits = group({ requests_per_minute, tokens_per_minute, concurrent_requests })
    const body = requestBody('addPackage', { name, ...fields, limits })
    const added = await client.call('addPackage', { body })
    return view(added, `Package ${printable(added.name)} is added: ${describe(added)}.`)
  },
})

const edit = verb({
  name: 'package edit',
  usage: [
    'NAME [--credits N] [--requests-per-minute N|none] [--tokens-per-minute N|none] [--concurrent-requests N|none]',
    '[--models a,b|all] [--timezone Z] [--valid-until D|none] [--type monthly|daily|topup|unlimited] [--reset-used]',
  ].join(' '),
  summary: 'changes a package; what is not named stays',
  operand: 'NAME',
  flags: {
    type: text,
    ...SETTING_FLAGS,
    valid_until: textOrNone,
    reset_used: toggle,
    ...LIMIT_CHANGE_FLAGS,
  },
  async run(client, { name, flags }) {
    const { requests_per_minute, tokens_per_minute, concurrent_requests, ...changes } = flags
    const limitChanges = group({ requests_per_minute, tokens_per_minute, concurrent_requests })
    if (group(changes) === undefined && limitChanges === undefined) throw new UsageError('Say what to change.')
    const limits = limitChanges && (await limitsOf(client, name, limitChanges))
    const body = requestBody('editPackage', { ...changes, limits })
    const edited = await client.call('editPackage', { id: name, body })
    return view(edited, `Package ${printable(edited.name)} is changed: ${describe(edited)}.`)
  },
})

const remove = plainVerb({
  name: 'package remove',
  summary: 'removes a package that has no keys',
  operand: 'NAME',
  action: 'removePackage',
  says: (_removed, name) => `Package ${printable(name)} is removed.`,
})

export const PACKAGE_VERBS = [list, add, edit, remove]

async function limitsOf(client: AdminClient, name: string, changes: Readonly<Record<string, unknown>>) {
  // Checked alone first, so that a wrong number is found before anything is asked.
  requestBody('editPackage', { limits: givenLimits(changes) })
  const packages = await client.call('listPackages', {})
  const current = packages.find((entry) => entry.id === name) ?? packages.find((entry) => entry.name === name)
  return mergedLimits(current?.limits ?? {}, changes)
}

function describe(entry: PackageView): string {
  return entry.credits === null ? entry.type : `${entry.type}, ${entry.credits} credits`
}
