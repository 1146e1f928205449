// A Farebox in front of one scripted provider that is set up once for each dialect, and calls in each client format. A model is
// named like the dialect of its provider.

import type { PackageCreate } from '#contract/schemas.ts'
import { chatModel, startFarebox, type Farebox, type FareboxOptions } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { post, type CallOptions } from './support.ts'

export const FORMATS = ['chat', 'messages', 'responses'] as const
export type Format = (typeof FORMATS)[number]

export const DIALECTS = ['chat-completions', 'messages', 'responses', 'gemini'] as const
export type Dialect = (typeof DIALECTS)[number]

/** A client format and the dialect of the provider behind it. */
export type Route = readonly [format: Format, dialect: Dialect]

/** The three that are passed through, and a translation into each client format. */
export const ROUTES: readonly Route[] = [
  ['chat', 'chat-completions'],
  ['messages', 'messages'],
  ['responses', 'responses'],
  ['chat', 'messages'],
  ['messages', 'chat-completions'],
  ['responses', 'gemini'],
]

export type House = { readonly farebox: Farebox; readonly upstream: Upstream; close(): Promise<void> }

export type HouseOptions = FareboxOptions & {
  readonly packages?: readonly PackageCreate[]
  readonly onDisconnect?: 'cancel' | 'drain'
}

export async function startHouse(options: HouseOptions = {}): Promise<House> {
  const { packages = [], onDisconnect = 'cancel', ...rest } = options
  const upstream = await startUpstream()
  const farebox = await startFarebox(rest)
  const origin = upstream.url.replace(/\/v1$/, '')
  const providers = DIALECTS.map((dialect) => ({
    name: dialect,
    dialect,
    base_url: dialect === 'gemini' ? `${origin}/v1beta` : upstream.url,
    secret: 'sk-upstream-secret',
    on_disconnect: onDisconnect,
  }))
  const models = DIALECTS.map((dialect) =>
    chatModel(dialect, { max_output_tokens: 32_000, targets: [{ provider: dialect, model: `real-${dialect}` }] }),
  )
  const all = [{ name: 'plenty', type: 'topup' as const, credits: 1000 }, ...packages]
  await farebox.admin.call('apply', { body: { document: { providers, models, packages: all } } })
  const close = async () => {
    await farebox.close()
    await upstream.close()
  }
  return { farebox, upstream, close }
}

const PATHS = { chat: '/v1/chat/completions', messages: '/v1/messages', responses: '/v1/responses' } as const

/** One call in a client format, with further members of its body. */
export function ask(
  house: House,
  [format, dialect]: Route,
  options: Pick<CallOptions, 'headers' | 'signal'> & { readonly key: string; readonly members?: object },
): Promise<Response> {
  const { members = {}, ...rest } = options
  const hello = [{ role: 'user', content: 'Hello' }]
  const body = {
    model: dialect,
    ...(format === 'responses' ? { input: hello } : { messages: hello }),
    ...(format === 'messages' ? { max_tokens: 1000 } : {}),
    ...members,
  }
  return post(house.farebox, body, { path: PATHS[format], ...rest })
}

let keys = 0

/** A new key and its name. */
export async function newKey(
  { farebox }: Pick<House, 'farebox'>,
  packageName = 'plenty',
): Promise<{ readonly key: string; readonly name: string }> {
  const name = `key ${++keys}`
  return { name, key: (await farebox.admin.call('createKey', { body: { name, package: packageName } })).key }
}
