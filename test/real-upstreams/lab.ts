// Where the scenarios run: a real server behind a tap, and a Farebox process before it, started as its users start it.

import { join } from 'node:path'
import { isRecord } from '#dialect/request-body.ts'
import type { ReadUsage } from '../support/lenient-reader.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { body, PATHS, type Wish, type AskedFormat } from './asking.ts'
import { CHAT_MODELS, type ModelName, type Server } from './servers.ts'
import { sentText, startTap, type Exchange, type Tap } from './tap.ts'

export type Dialect = 'chat-completions' | 'messages' | 'responses'

/** Credits per million tokens of each class, which is micro-credits per token. */
export const PRICE = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 } as const

export type Lab = {
  readonly server: Server
  readonly tap: Tap
  readonly url: string
  readonly key: string
  /** The name of a server's model in Farebox, by the dialect in which it is called. */
  model(dialect: Dialect, name: ModelName): string
  receipt(id: string): Promise<Receipt>
  heldCredits(): Promise<number>
  /** What Farebox printed so far. */
  printed(): string
}

export type Receipt = {
  readonly outcome: string
  readonly charge_credits: number
  readonly tokens: Readonly<
    Record<
      'input' | 'cache_read' | 'cache_write' | 'output',
      { readonly tokens: number | null; readonly source: string }
    >
  >
}

export type Answer = {
  readonly id: string
  readonly status: number
  readonly contentType: string
  readonly text: string
}

/** One Farebox for all servers of a run; each has its providers and models in it. */
export async function startGateway(): Promise<FareboxProcess & { readonly key: string }> {
  const farebox = await startProcess({
    dataDir: join(await temporaryFolder(), 'data'),
    // A server that refuses for good reasons is not to be left alone meanwhile, and a refusal is not asked for twice.
    env: { FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1' },
  })
  const packages = [{ name: 'plenty', type: 'topup' as const, credits: 1_000_000 }]
  await farebox.admin.call('apply', { body: { document: { packages } } })
  const { key } = await farebox.admin.call('createKey', { body: { name: 'upstreams', package: 'plenty' } })
  return { ...farebox, key }
}

export async function openLab(
  farebox: FareboxProcess & { readonly key: string },
  server: Server,
  dialects: readonly Dialect[],
): Promise<Lab & { close(): Promise<void> }> {
  const tap = await startTap((model) => server.originOf(model))
  const slug = server.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const name = (dialect: Dialect) => `${slug}-${dialect}`
  const model = (dialect: Dialect, of: ModelName) => `${name(dialect)}.${of}`
  const providers = dialects.map((dialect) => ({
    name: name(dialect),
    dialect,
    base_url: `${tap.origin}/v1`,
    secret: server.secret,
  }))
  const models = dialects.flatMap((dialect) =>
    [...CHAT_MODELS, 'embedder' as const].map((of) => ({
      id: model(dialect, of),
      kind: of === 'embedder' ? ('embedding' as const) : ('chat' as const),
      // Longer than the server's own, so that it is the server who says that a request is too long.
      context_window: 100_000,
      max_output_tokens: 50_000,
      price: PRICE,
      targets: [{ provider: name(dialect), model: of }],
    })),
  )
  await farebox.admin.call('apply', { body: { document: { providers, models } } })
  const get = async (path: string) => {
    const response = await fetch(farebox.url + path, { headers: { authorization: `Bearer ${farebox.key}` } })
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`)
    return response.json()
  }
  return {
    server,
    tap,
    url: farebox.url,
    key: farebox.key,
    model,
    receipt: async (id) => (await get(`/v1/receipts/${id}`)) as Receipt,
    heldCredits: async () => ((await get('/v1/balance')) as { readonly held_credits: number }).held_credits,
    printed: () => farebox.stdout() + farebox.stderr(),
    close: () => tap.close(),
  }
}

export const endGateway = endProcesses

export async function post(lab: Lab, path: string, sent: object, signal?: AbortSignal): Promise<Response> {
  return fetch(lab.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${lab.key}`,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(sent),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** Asks through Farebox and reads the answer to its end. */
export async function ask(lab: Lab, format: AskedFormat, wish: Wish): Promise<Answer> {
  return readAnswer(await post(lab, PATHS[format], body(format, wish)))
}

export async function readAnswer(response: Response): Promise<Answer> {
  return {
    id: response.headers.get('x-request-id') ?? '',
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    text: await response.text(),
  }
}

/** What a usage costs at the price of the lab, in micro-credits: computed here once more, from the server's own words. */
export function chargeOf({ input, cacheRead, cacheWrite, output }: ReadUsage): number {
  // In hundredths of a micro-credit all prices are whole numbers.
  const hundredths = input * 300 + cacheRead * 30 + cacheWrite * 375 + output * 1500
  return Math.ceil(hundredths / 100)
}

/** The one exchange that a call made with the server, with what it sent. */
export function onlyExchange(exchanges: readonly Exchange[]): { readonly exchange: Exchange; readonly text: string } {
  const [exchange] = exchanges
  if (exchange === undefined) throw new Error('the server was not asked')
  if (exchanges.length > 1) throw new Error(`the server was asked ${exchanges.length} times`)
  return { exchange, text: sentText(exchange) }
}

export function errorOf(text: string): { readonly message: string; readonly code: unknown } {
  const line = text.split('\n').findLast((one) => one.startsWith('data: {') && /"error": ?\{/.test(one)) ?? text
  let value: unknown
  try {
    value = JSON.parse(line.replace(/^data: /, ''))
  } catch {
    return { message: text.slice(0, 200), code: undefined }
  }
  const holder = isRecord(value) && isRecord(value['response']) ? value['response'] : value
  const error = isRecord(holder) && isRecord(holder['error']) ? holder['error'] : {}
  const { message, code } = error
  return { message: typeof message === 'string' ? message : text.slice(0, 200), code }
}
