// farebox provider …

import { UsageError } from '#cli/errors.ts'
import { text, type FlagTable, type FlagValues } from '#cli/flags.ts'
import { HEADER_EDIT_FLAGS, HEADER_FLAGS, HEADER_USAGE, headerSecretsOf } from '#cli/header-flags.ts'
import type { Sources } from '#cli/host.ts'
import { printable, view } from '#cli/output.ts'
import { listVerb, plainVerb } from '#cli/plain-verbs.ts'
import { group, requestBody, requestQuery } from '#cli/request.ts'
import { SECRET_FLAGS, SECRET_USAGE, secretOf } from '#cli/provider-secrets.ts'
import { settingsOf } from '#cli/settings-flag.ts'
import { chooseModels, ENABLE_FLAGS, ENABLE_USAGE, models, presets } from '#cli/provider-models.ts'
import { shellWord } from '#cli/shell-word.ts'
import { verb } from '#cli/verb.ts'

const PLACE_FLAGS = {
  base_url: text,
  network: text,
  secret_header: text,
  output_cap_field: text,
  on_disconnect: text,
} satisfies FlagTable
const FIELD_FLAGS = { preset: text, dialect: text, ...PLACE_FLAGS } satisfies FlagTable
const SETTINGS_FLAGS = { quirks: text, limits: text, time_limits: text } satisfies FlagTable

const list = listVerb({
  name: 'provider list',
  summary: 'lists the providers',
  action: 'listProviders',
  columns: {
    NAME: (provider) => provider.name,
    DIALECT: (provider) => provider.dialect,
    'BASE URL': ({ base_url }) => (base_url === '' ? null : base_url),
    SECRET: (provider) => provider.secret_state,
    ID: (provider) => provider.id,
  },
  whenEmpty: 'There are no providers yet.',
})

const add = verb({
  name: 'provider add',
  usage: `[NAME] --preset P | NAME --dialect D --base-url U [--network public|local] [--secret-header H] [--output-cap-field F] [--on-disconnect cancel|drain] [--quirks NAME=VALUE,…] [--limits NAME=VALUE,…] [--time-limits NAME=VALUE,…] [${SECRET_USAGE}] [${HEADER_USAGE}] [${ENABLE_USAGE}]`,
  summary: 'adds an upstream account; from a preset, its own models are offered as well',
  operand: 'NAME',
  isOperandOptional: true,
  flags: { ...FIELD_FLAGS, ...SETTINGS_FLAGS, ...SECRET_FLAGS, ...HEADER_FLAGS, ...ENABLE_FLAGS },
  async run(client, { name, flags, sources }) {
    const { preset, dialect, base_url, network, secret_header, output_cap_field, on_disconnect } = flags
    if (name === '' && preset === undefined) throw new UsageError('NAME or --preset is required.')
    const fields = {
      name: name === '' ? preset : name,
      preset,
      dialect,
      base_url,
      network,
      secret_header,
      output_cap_field,
      on_disconnect,
      quirks: settingsOf(flags.quirks),
      limits: settingsOf(flags.limits),
      time_limits: settingsOf(flags.time_limits),
      headers: flags.header,
    }
    // Without the secret first, so that nothing is read for a command that is wrong anyway.
    requestBody('addProvider', fields)
    const body = requestBody('addProvider', {
      ...fields,
      header_secrets: await headerSecretsOf(flags, sources, flags.secret_stdin),
      secret: await secretOf(flags, sources),
    })
    const provider = await client.call('addProvider', { body })
    const kept = provider.has_secret ? 'Its secret is kept.' : 'It has no secret.'
    const text = `Provider ${printable(provider.name)} is added. ${kept}`
    if (preset === undefined && flags.enable === undefined) return view(provider, text)
    // Standard input that held the secret has nothing left for an answer.
    const isStdinRead = flags.secret_stdin === true || flags.header_stdin !== undefined
    const asking = isStdinRead ? { ...sources, ask: undefined } : sources
    const chosen = await chooseModels(client, { provider, flags, sources: asking })
    const value = chosen.value === undefined ? provider : { ...provider, models: chosen.value }
    return view(value, `${text}\n${chosen.text}`.trimEnd())
  },
})

const edit = verb({
  name: 'provider edit',
  usage:
    'NAME [--base-url U] [--network public|local] [--secret-header H] [--output-cap-field F] [--on-disconnect cancel|drain] [--quirks NAME=VALUE,…|none] [--limits NAME=VALUE,…|none] [--time-limits NAME=VALUE,…|none] [--header NAME=VALUE …|none] [--header-env NAME=VAR …] [--header-file NAME=PATH …] [--header-stdin NAME] [--forget-header NAME …]',
  summary: 'changes a provider; what is not named stays, but another host takes its secret away',
  operand: 'NAME',
  flags: { ...PLACE_FLAGS, ...SETTINGS_FLAGS, ...HEADER_EDIT_FLAGS },
  async run(client, { name, flags, sources }) {
    const { base_url, network, secret_header, output_cap_field, on_disconnect } = flags
    const place = { base_url, network, secret_header, output_cap_field, on_disconnect }
    const settings = {
      quirks: settingsOf(flags.quirks),
      limits: settingsOf(flags.limits),
      time_limits: settingsOf(flags.time_limits),
      headers: flags.header,
    }
    const header_secrets = await changedHeaders(flags, sources)
    if (group({ ...place, ...settings, header_secrets }) === undefined) throw new UsageError('Say what to change.')
    const provider = await client.call('editProvider', {
      id: name,
      body: requestBody('editProvider', { ...place, ...settings, header_secrets }),
    })
    const text = `Provider ${printable(provider.name)} is changed.`
    if (place.base_url === undefined || provider.has_secret) return view(provider, text)
    const advice = `If it needs one, set it with: farebox provider secret ${shellWord(provider.name, sources.platform)} --secret-stdin`
    return view(provider, `${text} It has no secret at this address. ${advice}`)
  },
})

const test = verb({
  name: 'provider test',
  usage: 'NAME [--model M]',
  summary: 'asks a provider whether it can be reached with its secret, and with --model makes one real call',
  operand: 'NAME',
  flags: { model: text },
  async run(client, { name, flags }) {
    const result = await client.call('testProvider', { id: name, query: requestQuery('testProvider', flags) })
    const said = [result.message, result.advice ?? ''].map(printable).join(' ')
    const text = `${result.ok ? 'It works.' : 'It does not work.'} ${said}`.trimEnd()
    return { ...view(result, text), exitCode: result.ok ? 0 : 1 }
  },
})

const remove = plainVerb({
  name: 'provider remove',
  summary: 'removes a provider and its secrets',
  operand: 'NAME',
  action: 'removeProvider',
  says: (removed, name) => {
    const rest = 'Its secret is still kept, because the keychain cannot be reached. It is removed as soon as it can be.'
    const said = `Provider ${printable(name)} is removed.`
    return removed.secret_forgotten ? said : `${said} ${rest}`
  },
})

export const PROVIDER_VERBS = [list, presets, add, edit, models, test, remove]

/** Secret values that are given, and null for those that are to be forgotten. */
async function changedHeaders(flags: FlagValues<typeof HEADER_EDIT_FLAGS>, sources: Sources) {
  const { forget_header: forgotten = [] } = flags
  const gone = Object.fromEntries(forgotten.map((name) => [name.toLowerCase(), null]))
  const given = await headerSecretsOf(flags, sources, undefined)
  return forgotten.length === 0 ? given : { ...gone, ...given }
}
