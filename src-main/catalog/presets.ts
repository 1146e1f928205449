// Presets fill in what an administrator did not say about a provider. What was said always wins, member by member.

import { loadPresets } from '#catalog/resources.ts'
import type { Preset } from '#contract/presets.ts'
import type { ProviderCreate } from '#contract/providers.ts'
import type { Provider } from '#core/entities.ts'
import type { ModelListPlace } from '#core/listed-model.ts'
import { isDemo, wireDialect, type ProviderDialect, type WireDialect } from '#core/provider-dialect.ts'
import { refuse, type Refusal } from '#core/refusal.ts'

type DialectEntry = NonNullable<Preset['dialects'][WireDialect]>

/** The preset that a provider was made from; undefined for none, and for one that this version does not know any more. */
export function presetOf(provider: Pick<Provider, 'preset'>): Preset | undefined {
  return provider.preset === undefined ? undefined : findPreset(provider.preset)
}

/** The input with everything that its preset knows and it does not say. */
export function fillFromPreset(input: ProviderCreate): ProviderCreate | Refusal {
  if (input.preset === undefined) return input
  const preset = findPreset(input.preset)
  if (preset === undefined) {
    const known = loadPresets().map(({ id }) => id)
    return refuse('invalid_request', `There is no preset '${input.preset}'. There are: ${known.join(', ')}.`, {
      param: 'preset',
    })
  }
  const dialect = input.dialect ?? preset.dialect
  const entry = entryOf(preset, dialect)
  const baseUrl = input.base_url ?? baseUrlOf(preset, dialect, entry)
  if (typeof baseUrl !== 'string') return baseUrl
  const filled: ProviderCreate = { ...input, dialect, base_url: baseUrl }
  // A public preset leaves it to the base URL: one that names this machine is meant.
  if (preset.network === 'local') filled.network ??= preset.network
  if (entry?.secret_header !== undefined) filled.secret_header ??= entry.secret_header
  if (entry?.output_cap_field !== undefined) filled.output_cap_field ??= entry.output_cap_field
  if (preset.on_disconnect !== undefined) filled.on_disconnect ??= preset.on_disconnect
  if (entry?.quirks !== undefined) filled.quirks = { ...entry.quirks, ...input.quirks }
  return filled
}

/**
 * Where a provider lists its models. The place that a preset names counts only at the provider's own origin: the secret is
 * shown there, and belongs to no other.
 */
export function modelListPlace(provider: Provider): ModelListPlace {
  const own = { baseUrl: provider.baseUrl, dialect: provider.dialect, tellsPrices: false }
  const list = presetOf(provider)?.model_list
  if (list === undefined) return own
  const { base_url: url = provider.baseUrl, dialect = provider.dialect, prices } = list
  const isOwn = URL.parse(url)?.origin === new URL(provider.baseUrl).origin
  return isOwn ? { baseUrl: url, dialect, tellsPrices: prices === 'per-token' } : own
}

function findPreset(id: string): Preset | undefined {
  return loadPresets().find((preset) => preset.id === id)
}

function entryOf(preset: Preset, dialect: ProviderDialect): DialectEntry | undefined {
  return isDemo({ dialect }) ? undefined : preset.dialects[wireDialect(dialect)]
}

function baseUrlOf(preset: Preset, dialect: ProviderDialect, entry: DialectEntry | undefined): string | Refusal {
  if (entry === undefined) {
    const offered = Object.keys(preset.dialects).join(', ')
    const says = `The preset '${preset.id}' has no base URL for '${dialect}', only for: ${offered}.`
    return refuse('invalid_request', `${says} Give a 'base_url' as well.`, { param: 'dialect' })
  }
  if (!entry.base_url.includes('{')) return entry.base_url
  const form = entry.base_url.startsWith('{') ? '' : `, of the form ${entry.base_url}`
  return refuse('invalid_request', `'base_url' is required with the preset '${preset.id}'${form}.`, {
    param: 'base_url',
  })
}
