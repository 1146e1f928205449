// Gateways and readings as the shell sees them.

import { join } from 'node:path'
import type { OverviewView } from '#contract/reports.ts'
import type { KeyView, UsageView } from '#contract/schemas.ts'
import type { StatusView } from '#contract/status.ts'
import type { Gateway, Reading } from '#shell/gateway-port.ts'
import { NO_SUMMARY, type ShellState } from '#shell/state.ts'
import { readWords } from '#shell/words.ts'

export const URL_OF_GATEWAY = 'http://127.0.0.1:3273'
export const NOW_MS = Date.UTC(2027, 0, 2, 12)
export const WORDS_DIR = join(import.meta.dirname, '..', '..', 'resources', 'tray')
export const ENGLISH = readWords(WORDS_DIR, ['en'])
const AT = new Date(NOW_MS - 60_000).toISOString()

export function statusView(changes: Partial<StatusView> = {}): StatusView {
  return {
    state: 'running',
    version: '0.1.0',
    url: URL_OF_GATEWAY,
    pid: 42,
    data_dir: '/data',
    started_at: AT,
    ledger: 'ok',
    ledger_check: 'checked',
    ledger_checked_at: AT,
    secrets: 'vault',
    lan: { state: 'off', urls: [], problem: null, certificate_expires_at: null },
    attention: [],
    open_exchanges: 0,
    held_credits: 0,
    providers: 1,
    models: 1,
    packages: 1,
    keys: 1,
    targets: [],
    provider_use: [],
    secrets_left_out: [],
    ...changes,
  }
}

type Amounts = { readonly total?: number | null; readonly remaining?: number | null }

export function keyView(
  name: string,
  { total = 10, remaining = 10 }: Amounts = {},
  changes: Partial<KeyView> = {},
): KeyView {
  return {
    id: `id-${name}`,
    name,
    hint: 'key_abc',
    package: 'starter',
    owner: null,
    status: 'active',
    expires_at: null,
    created_at: AT,
    value_since: AT,
    previous_valid_until: null,
    tool: null,
    project: null,
    tags: [],
    balance: {
      total_credits: total,
      remaining_credits: remaining,
      used_credits: 0,
      held_credits: 0,
      cycle_started_at: AT,
      next_reset_at: null,
      total_requests: 1,
      last_used_at: AT,
    },
    outlook: null,
    ...changes,
  }
}

export function callView(changes: Partial<UsageView> = {}): UsageView {
  return {
    id: 'u-1',
    created_at: AT,
    key: 'ci',
    endpoint: 'chat',
    model: 'gpt',
    provider: 'openai',
    upstream_model: 'gpt',
    secret: null,
    stream: false,
    outcome: 'failed',
    status: 502,
    input_tokens: null,
    cache_read_tokens: null,
    cache_write_tokens: null,
    output_tokens: null,
    reasoning_tokens: null,
    usage_source: 'none',
    price_version: null,
    charge_credits: 0,
    held_credits: 0,
    overrun: false,
    first_byte_ms: null,
    duration_ms: 10,
    tool: null,
    project: null,
    tags: [],
    session: null,
    ...changes,
  }
}

const NO_TOTALS: OverviewView['today']['previous'] = {
  requests: 0,
  failed: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  charge_credits: 0,
  estimated_usage: 0,
  unknown_usage: 0,
}

/** An overview with so much spent today, and so much that needs attention. */
export function overviewView(
  attention: OverviewView['attention'] = [],
  today: Partial<OverviewView['today']['totals']> = {},
): OverviewView {
  const { ledger, version, started_at, lan } = statusView()
  return {
    gateway: { url: URL_OF_GATEWAY, version, started_at, ledger, open_exchanges: 0, time_zone: 'UTC', lan },
    credits: { keys: 1, unlimited_keys: 0, held_credits: 0, lowest: [] },
    today: { totals: { ...NO_TOTALS, ...today }, previous: NO_TOTALS, expected_credits: null },
    own_limits: null,
    first_token: { p50_ms: null, p95_ms: null },
    attention,
    latest: [],
  }
}

export function reading(changes: Partial<Reading> = {}): Reading {
  const shown = { overview: overviewView(), tools: [], language: 'system' }
  return { status: statusView(), keys: [keyView('ci')], calls: [], alerts: [], ...shown, ...changes }
}

export function shellState(changes: Partial<ShellState> = {}): ShellState {
  return {
    ...NO_SUMMARY,
    gateway: { type: 'running', url: URL_OF_GATEWAY, otherPid: undefined, pausedUntilMs: undefined, ledger: 'ok' },
    update: { type: 'idle' },
    switches: { startAtLogin: false, closeToTray: false, dailyUpdateCheck: false, notifications: true },
    command: 'farebox',
    ...changes,
  }
}

/** A gateway that answers what a test gives it, and writes down what it was asked to do. */
export class FakeGateway implements Gateway {
  readonly url = URL_OF_GATEWAY
  readonly done: string[] = []
  otherPid: number | undefined
  next: Reading = reading()
  failure: Error | undefined
  /** Holds back the end until a test lets it go. */
  closing: Promise<void> = Promise.resolve()
  #tickets = 0
  readonly #listeners = new Set<() => void>()

  async read(): Promise<Reading> {
    if (this.failure !== undefined) throw this.failure
    return this.next
  }

  async ticket(): Promise<string> {
    if (this.failure !== undefined) throw this.failure
    this.#tickets += 1
    return `ticket-${this.#tickets}`
  }

  async pause(minutes: number): Promise<void> {
    this.done.push(`pause ${minutes}`)
    const paused_until = new Date(NOW_MS + minutes * 60_000).toISOString()
    this.next = { ...this.next, status: statusView({ paused_until }) }
  }

  async resume(): Promise<void> {
    this.done.push('resume')
    this.next = { ...this.next, status: statusView() }
  }

  onExchangeEnd(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  endExchange(): void {
    for (const listener of this.#listeners) listener()
  }

  get listeners(): number {
    return this.#listeners.size
  }

  afterSleep(): void {
    this.done.push('afterSleep')
  }

  async close(): Promise<void> {
    await this.closing
    this.done.push('close')
  }
}
