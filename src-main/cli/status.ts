// farebox status: whether a gateway runs on the data folder, and how it is.

import { creditLines } from '#cli/outlook-text.ts'
import { facts, printable, time, view } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'
import type { KeyView } from '#contract/schemas.ts'
import type { StatusView } from '#contract/status.ts'
import { byUrgency } from '#contract/urgency.ts'

const MAX_KEYS = 3

const status = verb({
  name: 'status',
  usage: '',
  summary: 'says whether a gateway runs on the data folder, and how it is',
  flags: {},
  whenStopped: view({ state: 'stopped' }, 'stopped'),
  async run(client) {
    const [answer, keys] = await Promise.all([client.call('status', {}), client.call('listKeys', {})])
    return view(answer, details(answer, keys))
  },
})

export const STATUS_VERBS = [status]

function details(answer: StatusView, keys: readonly KeyView[]): string {
  const known = facts({
    state: answer.state,
    version: answer.version,
    url: answer.url,
    pid: answer.pid,
    'data folder': answer.data_dir,
    started: time(answer.started_at),
    ...(answer.paused_until === undefined ? {} : { 'paused until': time(answer.paused_until) }),
    ledger: answer.ledger,
    'ledger checked': checked(answer),
    secrets: answer.secrets,
    LAN: lanText(answer),
    ...backups(answer),
    ...openFiles(answer),
    'open exchanges': answer.open_exchanges,
    'held credits': answer.held_credits,
    providers: answer.providers,
    models: answer.models,
    packages: answer.packages,
    keys: answer.keys,
    ...credits(keys),
    ...sickTargets(answer),
    ...targetsBeyondCap(answer),
    ...silentTargets(answer),
    ...missingPrices(answer),
    ...targetsWithDropped(answer),
    ...usedProviders(answer),
    ...secretsLeftOut(answer),
  })
  return [known, ...answer.attention.map(printable)].join('\n')
}

/** The keys that somebody should look at first; the others are in `key list`. */
function credits(keys: readonly KeyView[]): Readonly<Record<string, string>> {
  return creditLines(byUrgency(keys.filter(({ status: state }) => state === 'active')).slice(0, MAX_KEYS))
}

function lanText({ lan: { state, urls, problem } }: StatusView): string {
  if (state === 'on') return urls.join(', ')
  return problem === null ? state : `${state}: ${problem}`
}

function backups({ backups: schedule }: StatusView): Readonly<Record<string, string>> {
  if (schedule === undefined) return {}
  const { every, last_at, problem } = schedule
  const last = last_at === null ? 'none yet' : `the last ${time(last_at)}`
  return { backups: printable(`${every}, ${last}${problem === null ? '' : `; ${problem}`}`) }
}

/** Where the limit of the system is low. */
function openFiles({ open_files: files }: StatusView): Record<string, string> {
  if (files === undefined) return {}
  return {
    'open files': `${files.limit} at most: ${files.connections} connections of clients, ${files.calls} calls at a time`,
  }
}

/** A line for each failing target; the others need no attention. */
function sickTargets({ targets }: StatusView): Readonly<Record<string, string>> {
  const sick = targets.filter(({ state }) => state !== 'ok')
  return Object.fromEntries(
    sick.map(({ provider, model, state, left_out_until, last_failure }) => {
      const until = left_out_until === null ? '' : ` until ${time(left_out_until)}`
      const { reason, status } = last_failure ?? { reason: 'unknown', status: null }
      return [
        printable(`target ${provider}/${model}`),
        `${state}${until}: ${reason}${status === null ? '' : ` ${status}`}`,
      ]
    }),
  )
}

/** A line for each target that answers beyond its output cap: the surplus costs credits that the client did not ask to spend. */
function targetsBeyondCap({ targets }: StatusView): Readonly<Record<string, string>> {
  return Object.fromEntries(
    targets.flatMap(({ provider, model, ignored_cap: ignored }) =>
      ignored === null
        ? []
        : [
            [
              printable(`cap ignored by ${provider}/${model}`),
              `${ignored.output_tokens} tokens for a cap of ${ignored.cap}, ${time(ignored.at)}`,
            ] as const,
          ],
    ),
  )
}

/** Targets that do not say what their answers used, so that charges are by our own count. */
function silentTargets({ targets }: StatusView): Readonly<Record<string, string>> {
  return Object.fromEntries(
    targets.flatMap(({ provider, model, unreported_answers: count }) =>
      count === undefined
        ? []
        : [
            [
              printable(`usage of ${provider}/${model}`),
              `not reported for ${count} answers in a row, counted by Farebox`,
            ],
          ],
    ),
  )
}

/** What providers reported that has no price of its own. */
function missingPrices({ missing_prices: missing = [] }: StatusView): Readonly<Record<string, string>> {
  const lines = missing.map(({ model, name, charged_as: as }) => {
    const how = as === null ? 'charged nothing' : `charged as ${printable(as)}`
    return [printable(`price of ${name} at ${model}`), `missing, ${how}`] as const
  })
  return Object.fromEntries(lines)
}

/** Targets whose streams cannot be read as a whole. */
function targetsWithDropped({ targets }: StatusView): Readonly<Record<string, string>> {
  return Object.fromEntries(
    targets.flatMap(({ provider, model, dropped_pieces: pieces }) =>
      pieces === undefined
        ? []
        : [[printable(`streams of ${provider}/${model}`), `${pieces} pieces that belong to nothing, left out`]],
    ),
  )
}

/** Those that do something, or are bounded in what is counted here. */
function usedProviders({ provider_use }: StatusView): Readonly<Record<string, string>> {
  const of = (limit: number | null) => (limit === null ? '' : ` of ${limit}`)
  const used = provider_use.filter(
    (use) =>
      use.concurrent_requests > 0 ||
      use.credits_today > 0 ||
      use.concurrent_requests_limit !== null ||
      use.credits_per_day_limit !== null,
  )
  return Object.fromEntries(
    used.map((use) => [
      printable(`provider ${use.provider}`),
      `${use.concurrent_requests}${of(use.concurrent_requests_limit)} requests, ${use.credits_today}${of(use.credits_per_day_limit)} credits today`,
    ]),
  )
}

function secretsLeftOut({ secrets_left_out: secrets }: StatusView): Readonly<Record<string, string>> {
  return Object.fromEntries(
    secrets.map(({ provider, label, state, left_out_until: until }) => [
      printable(`secret ${provider}/${label}`),
      `${state}, left out until ${time(until) ?? 'it is tried again'}`,
    ]),
  )
}

function checked({ ledger_check: state, ledger_checked_at: at }: StatusView): string | null {
  switch (state) {
    case 'checked':
      return time(at)
    case 'checking':
      return 'not yet, its older entries are being read'
    case 'unchecked':
      return 'no, its older entries could not be read; it is tried again'
  }
}
