// A provider as its forms have it, and what the texts in them mean.

import { ROUTE_FAMILIES, WIRE_DIALECTS } from '#contract/dialects.ts'
import type { Preset } from '#contract/presets.ts'
import type { ProviderCreate, ProviderEdit, ProviderQuirks, ProviderView } from '#contract/providers.ts'
import { amountText, readAmount } from '#renderer/data/amount-input.ts'
import { headerRowsOf, headersBody, type HeaderRow } from '#renderer/data/header-form.ts'
import { creditsText, microOf } from '#renderer/data/money.ts'

export const SECRET_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const
export const CAP_FIELDS = ['max_tokens', 'max_completion_tokens'] as const
export const DISCONNECTS = ['cancel', 'drain'] as const
export const TIME_LIMITS = ['connect_ms', 'first_byte_ms', 'silence_ms'] as const
export type Dialect = (typeof WIRE_DIALECTS)[number]

/** Quirks that are a yes or a no; the others have choices, or are a number. */
export const SWITCH_QUIRKS = [
  'stream_usage',
  'parallel_tool_calls',
  'cache_marks',
  'top_k',
  'json_schema',
  'reasoning_effort',
  'user_after_tool',
  'keeps_threads',
  'stops_streams_only',
] as const satisfies readonly (keyof ProviderQuirks)[]
export const CHOICE_QUIRKS = {
  platform: ['own', 'vertex'],
  reasoning_field: ['reasoning_content', 'reasoning', 'none'],
  tool_ids: ['any', 'alphanumeric-9'],
  system_role: ['system', 'developer'],
  later_system: ['keep', 'user'],
} as const satisfies { readonly [Name in keyof ProviderQuirks]?: readonly ProviderQuirks[Name][] }
export const CHOICE_NAMES = ['platform', 'reasoning_field', 'tool_ids', 'system_role', 'later_system'] as const

export type AddForm = {
  readonly name: string
  readonly dialect: Dialect
  readonly baseUrl: string
  readonly secret: string
  readonly network: 'public' | 'local'
}

/** What a preset fills in. */
export function addFormOf(preset: Preset, taken: readonly string[]): AddForm {
  return {
    name: freeName(preset.id === 'custom' ? '' : preset.id, taken),
    dialect: preset.dialect,
    baseUrl: baseUrlOf(preset, preset.dialect),
    secret: '',
    network: preset.network,
  }
}

/** The base URL of a preset in a dialect; empty where there is nothing but a placeholder. */
export function baseUrlOf(preset: Preset, dialect: Dialect): string {
  const url = preset.dialects[dialect]?.base_url ?? ''
  return url.startsWith('{') ? '' : url
}

export function dialectsOf(preset: Preset): readonly Dialect[] {
  return WIRE_DIALECTS.filter((dialect) => preset.dialects[dialect] !== undefined)
}

/** Undefined while something is missing. Whether the base URL will do is for the server to say. */
export function providerCreateBody(form: AddForm, preset: Preset): ProviderCreate | undefined {
  const name = form.name.trim()
  const baseUrl = form.baseUrl.trim()
  const secret = form.secret.trim()
  if (name === '' || baseUrl === '' || hasPlaceholder(baseUrl)) return undefined
  if (preset.secret === 'required' && secret === '') return undefined
  return {
    name,
    preset: preset.id,
    dialect: form.dialect,
    base_url: baseUrl,
    network: form.network,
    ...(secret === '' ? {} : { secret }),
  }
}

/** `{resource}` is for the administrator to fill in. */
export function hasPlaceholder(baseUrl: string): boolean {
  return /[{}]/.test(baseUrl)
}

export function filteredPresets(presets: readonly Preset[], text: string): readonly Preset[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return presets.filter(({ id, display_name, dialects }) => {
    const searched = `${id} ${display_name} ${Object.keys(dialects).join(' ')}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
}

export type EditForm = {
  readonly baseUrl: string
  readonly network: string
  readonly secretHeader: string
  readonly headers: readonly HeaderRow[]
  readonly outputCapField: string
  readonly onDisconnect: string
  readonly concurrent: string
  readonly requests: string
  readonly tokens: string
  readonly creditsPerDay: string
  readonly times: Readonly<Record<(typeof TIME_LIMITS)[number], string>>
  /** `yes`, `no`, a choice or a number; empty where the provider is as others are. */
  readonly quirks: Readonly<Record<keyof ProviderQuirks, string>>
}

export function editFormOf(provider: ProviderView, locale: string): EditForm {
  const { limits, time_limits, quirks } = provider
  const switchText = (name: (typeof SWITCH_QUIRKS)[number]) =>
    ({ true: 'yes', false: 'no' })[String(quirks[name])] ?? ''
  const switches = Object.fromEntries(SWITCH_QUIRKS.map((name) => [name, switchText(name)]))
  const choices = Object.fromEntries(CHOICE_NAMES.map((name) => [name, quirks[name] ?? '']))
  const credits = limits.credits_per_day
  return {
    baseUrl: provider.base_url,
    network: provider.network,
    secretHeader: provider.secret_header,
    headers: headerRowsOf(provider),
    outputCapField: provider.output_cap_field,
    onDisconnect: provider.on_disconnect,
    concurrent: textOf(limits.concurrent_requests),
    requests: textOf(limits.requests_per_minute),
    tokens: textOf(limits.tokens_per_minute),
    creditsPerDay: credits === undefined ? '' : amountText(microOf(credits) ?? 0n, locale),
    times: {
      connect_ms: textOf(time_limits.connect_ms),
      first_byte_ms: textOf(time_limits.first_byte_ms),
      silence_ms: textOf(time_limits.silence_ms),
    },
    quirks: {
      ...EMPTY_QUIRKS,
      ...switches,
      ...choices,
      max_stops: textOf(quirks.max_stops),
      routes: routesText(quirks.routes),
    },
  }
}

/** What was changed; undefined while something means nothing. Limits, time limits and quirks are sent whole, as they are replaced. */
export function providerEditBody(form: EditForm, provider: ProviderView, locale: string): ProviderEdit | undefined {
  const limits = limitsOf(form, locale)
  const times = timesOf(form)
  const quirks = quirksOf(form)
  const headers = headersBody(form.headers, provider)
  if (limits === undefined || times === undefined || quirks === undefined || headers === undefined) return undefined
  // The demo provider calls nobody and has no base URL.
  if (form.baseUrl.trim() === '' && provider.dialect !== 'demo') return undefined
  const body = {
    base_url: form.baseUrl.trim(),
    network: form.network === 'local' ? ('local' as const) : ('public' as const),
    secret_header: choice(SECRET_HEADERS, form.secretHeader),
    output_cap_field: choice(CAP_FIELDS, form.outputCapField),
    on_disconnect: choice(DISCONNECTS, form.onDisconnect),
    limits,
    time_limits: times,
    quirks,
    ...headers,
  }
  return changesOf(body, provider)
}

/** Whether a base URL is at another origin, for which the secret has to be given anew. */
export function isMoved(before: string, after: string): boolean {
  const origin = URL.parse(after.trim())?.origin
  return origin !== undefined && origin !== URL.parse(before)?.origin
}

/** A whole number from `least` to `most`: null for nothing typed, undefined for what is none. */
function readWhole(text: string, least: number, most: number): number | null | undefined {
  const plain = text.trim()
  if (plain === '') return null
  const value = /^\d{1,10}$/.test(plain) ? Number(plain) : -1
  return value >= least && value <= most ? value : undefined
}

const MAX_COUNT = 1_000_000_000
const MAX_MS = 86_400_000
const EMPTY_QUIRKS: EditForm['quirks'] = {
  platform: '',
  stream_usage: '',
  reasoning_field: '',
  tool_ids: '',
  system_role: '',
  later_system: '',
  parallel_tool_calls: '',
  cache_marks: '',
  top_k: '',
  max_stops: '',
  json_schema: '',
  reasoning_effort: '',
  user_after_tool: '',
  keeps_threads: '',
  stops_streams_only: '',
  routes: '',
}

export function readLimit(text: string) {
  return readWhole(text, 1, MAX_COUNT)
}

export function readTimeLimit(text: string) {
  return readWhole(text, 1, MAX_MS)
}

export function readStops(text: string) {
  return readWhole(text, 0, 64)
}

const NO_ROUTES = 'none'

function routesText(routes: ProviderQuirks['routes']): string {
  return routes?.length === 0 ? NO_ROUTES : (routes ?? []).join(', ')
}

/** Names with commas or spaces between them, or `none`: null for nothing typed, undefined for what is no route. */
export function readRoutes(text: string): ProviderQuirks['routes'] | null {
  const names = text
    .trim()
    .split(/[\s,]+/)
    .filter(Boolean)
  if (names.length === 0) return null
  if (names.join() === NO_ROUTES) return []
  const known = names.flatMap((name) => ROUTE_FAMILIES.find((family) => family === name) ?? [])
  return known.length === names.length ? [...new Set(known)] : undefined
}

function limitsOf(form: EditForm, locale: string): ProviderView['limits'] | undefined {
  const concurrent = readLimit(form.concurrent)
  const requests = readLimit(form.requests)
  const tokens = readLimit(form.tokens)
  const credits = readAmount(form.creditsPerDay, locale)
  const isWrong = credits.type === 'wrong' || (credits.type === 'amount' && credits.micro < 0n)
  if (concurrent === undefined || requests === undefined || tokens === undefined || isWrong) return undefined
  return {
    ...(concurrent === null ? {} : { concurrent_requests: concurrent }),
    ...(requests === null ? {} : { requests_per_minute: requests }),
    ...(tokens === null ? {} : { tokens_per_minute: tokens }),
    ...(credits.type === 'amount' ? { credits_per_day: Number(creditsText(credits.micro)) } : {}),
  }
}

function timesOf({ times }: EditForm): ProviderView['time_limits'] | undefined {
  const pairs = TIME_LIMITS.map((name) => [name, readTimeLimit(times[name])] as const)
  if (pairs.some(([, value]) => value === undefined)) return undefined
  return Object.fromEntries(pairs.filter(([, value]) => value !== null))
}

function quirksOf({ quirks }: EditForm): ProviderQuirks | undefined {
  const stops = readStops(quirks.max_stops)
  const routes = readRoutes(quirks.routes)
  if (stops === undefined || routes === undefined) return undefined
  const switches = SWITCH_QUIRKS.flatMap((name) =>
    quirks[name] === '' ? [] : [[name, quirks[name] === 'yes'] as const],
  )
  const choices = CHOICE_NAMES.flatMap((name) => (quirks[name] === '' ? [] : [[name, quirks[name]] as const]))
  return {
    ...Object.fromEntries([...switches, ...choices]),
    ...(stops === null ? {} : { max_stops: stops }),
    ...(routes === null ? {} : { routes: [...routes] }),
  }
}

function changesOf(body: ProviderEdit, provider: ProviderView): ProviderEdit {
  const before: Readonly<Record<string, unknown>> = provider
  const isSame = (left: unknown, right: unknown) => sortedText(left) === sortedText(right)
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => !isSame(value, before[name])))
}

function sortedText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return JSON.stringify(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

function choice<Choice extends string>(choices: readonly [Choice, ...Choice[]], text: string): Choice {
  return choices.find((one) => one === text) ?? choices[0]
}

function textOf(value: number | undefined): string {
  return value === undefined ? '' : String(value)
}

function freeName(wanted: string, taken: readonly string[]): string {
  if (wanted === '' || !taken.includes(wanted)) return wanted
  let number = 2
  while (taken.includes(`${wanted}-${number}`)) number += 1
  return `${wanted}-${number}`
}
