// farebox provider secret …

import { UsageError } from '#cli/errors.ts'
import { number, text, toggle, type FlagTable, type FlagValues } from '#cli/flags.ts'
import type { Sources } from '#cli/host.ts'
import { printable, tableOf, view, type Columns } from '#cli/output.ts'
import { group, requestBody, requestQuery } from '#cli/request.ts'
import { secretFromOne } from '#cli/secret-source.ts'
import { settingsOf } from '#cli/settings-flag.ts'
import { verb } from '#cli/verb.ts'
import type { ProviderSecretView } from '#contract/providers.ts'

export const SECRET_FLAGS = { secret_env: text, secret_file: text, secret_stdin: toggle } satisfies FlagTable
export const SECRET_USAGE = '--secret-env VAR | --secret-file PATH | --secret-stdin'
const POOL_FLAGS = { label: text, weight: number, limits: text, ...SECRET_FLAGS } satisfies FlagTable

/** The secret from the one place that was named, or undefined when none was. */
export function secretOf(flags: FlagValues<typeof SECRET_FLAGS>, sources: Sources): Promise<string | undefined> {
  const { secret_env: env, secret_file: file, secret_stdin: isStdin } = flags
  return secretFromOne({ env, file, isStdin, what: 'secret' }, sources)
}

const replace = verb({
  name: 'provider secret',
  usage: `NAME ${SECRET_USAGE}`,
  summary: "replaces a provider's secret, or the first of several",
  operand: 'NAME',
  flags: SECRET_FLAGS,
  async run(client, { name, flags, sources }) {
    const value = await secretOf(flags, sources)
    if (value === undefined) throw new UsageError('Say where the secret is.')
    const body = requestBody('setProviderSecret', { secret: value })
    const provider = await client.call('setProviderSecret', { id: name, body })
    return view(provider, `The secret of provider ${printable(provider.name)} is replaced.`)
  },
})

const COLUMNS: Columns<ProviderSecretView> = {
  LABEL: ({ label }) => label,
  WEIGHT: ({ weight }) => weight,
  SECRET: ({ secret_state }) => secret_state,
  STATE: ({ state }) => state,
  'LEFT OUT UNTIL': ({ left_out_until }) => left_out_until,
  RUNNING: ({ concurrent_requests }) => concurrent_requests,
  'CREDITS TODAY': ({ credits_today }) => credits_today,
  LIMITS: ({ limits }) => limitsText(limits),
}

const list = verb({
  name: 'provider secret list',
  usage: 'NAME',
  summary: "lists a provider's secrets by their labels, and how they are; never their texts",
  operand: 'NAME',
  flags: {},
  async run(client, { name }) {
    const secrets = await client.call('listProviderSecrets', { id: name })
    return view(secrets, tableOf(COLUMNS, secrets, 'It has no secret.'))
  },
})

const add = verb({
  name: 'provider secret add',
  usage: `NAME --label L ${SECRET_USAGE} [--weight N] [--limits NAME=VALUE,…]`,
  summary: 'gives a provider another secret, beside those that it has',
  operand: 'NAME',
  flags: POOL_FLAGS,
  async run(client, { name, flags, sources }) {
    const secret = await secretOf(flags, sources)
    if (secret === undefined) throw new UsageError('Say where the secret is.')
    const { label, weight, limits } = flags
    const body = requestBody('addProviderSecret', { label, weight, limits: settingsOf(limits), secret })
    const secrets = await client.call('addProviderSecret', { id: name, body })
    const count = secrets.length === 1 ? 'one secret' : `${secrets.length} secrets`
    return view(secrets, `Provider ${printable(name)} has ${count} now.`)
  },
})

const set = verb({
  name: 'provider secret set',
  usage: `NAME --label L [--weight N] [--limits NAME=VALUE,…|none] [${SECRET_USAGE}]`,
  summary: "replaces one of a provider's secrets, or changes its weight or limits",
  operand: 'NAME',
  flags: POOL_FLAGS,
  async run(client, { name, flags, sources }) {
    const { label, weight, limits } = flags
    const changes = { weight, limits: settingsOf(limits), secret: await secretOf(flags, sources) }
    if (group(changes) === undefined) throw new UsageError('Say what to change.')
    const body = requestBody('editProviderSecret', { label, ...changes })
    const secrets = await client.call('editProviderSecret', { id: name, body })
    return view(secrets, `The secret ${printable(label ?? '')} of provider ${printable(name)} is changed.`)
  },
})

const remove = verb({
  name: 'provider secret remove',
  usage: 'NAME --label L',
  summary: "removes one of a provider's several secrets",
  operand: 'NAME',
  flags: { label: text },
  async run(client, { name, flags }) {
    const removed = await client.call('removeProviderSecret', {
      id: name,
      query: requestQuery('removeProviderSecret', flags),
    })
    const said = `The secret ${printable(flags.label ?? '')} of provider ${printable(name)} is removed.`
    const rest = 'It is still kept, because the keychain cannot be reached. It is removed as soon as it can be.'
    return view(removed, removed.secret_forgotten ? said : `${said} ${rest}`)
  },
})

export const PROVIDER_SECRET_VERBS = [replace, list, add, set, remove]

function limitsText(limits: ProviderSecretView['limits']): string | null {
  const all = Object.entries(limits).map(([limit, most]) => `${limit}=${most}`)
  return all.length === 0 ? null : all.join(',')
}
