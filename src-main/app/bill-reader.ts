// Asks a provider for what it reports about its bill: which reports there are is known to the room `bills`, and how to ask to `provider`.

import { setTimeout } from 'node:timers/promises'
import { readBillPage } from '#app/large-pages.ts'
import { BALANCES } from '#bills/balances.ts'
import { INTERFACES } from '#bills/interfaces.ts'
import { isHintOf, PROJECT_KEYS, projectKeysIn, type ProjectKeys } from '#bills/project-keys.ts'
import { noReports } from '#catalog/bill-secrets.ts'
import type { OwnProject, TriedSecret } from '#contract/bills.ts'
import { balanceKindOf } from '#core/account-balance.ts'
import { billKindOf, type BillKind } from '#core/bill-secret.ts'
import { readCredentials } from '#core/credentials.ts'
import type { Provider } from '#core/entities.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { SecretFailure } from '#core/secret-failure.ts'
import { eachSecret, secretReference } from '#core/secret-pool.ts'
import { parseMeasured } from '#dialect/request-body.ts'
import { askBalance, type BalanceAskDeps } from '#provider/account-balance.ts'
import { readReportPages, type ReportPagesDeps } from '#provider/report-pages.ts'
import type { BillWish } from '#server/admin/admin-deps.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MAX_KEYS_LENGTH = 262_144
const NO_KEYS: ProjectKeys = { keys: [], hasMore: false }
/** A process that ends does not stay for it. */
const wait = (ms: number) => setTimeout(ms, undefined, { ref: false })

/** The pages as the text of a list in JSON. */
export async function readBill(
  provider: Provider,
  { days, nowMs, accounts, project }: BillWish,
  deps: Omit<ReportPagesDeps, 'wait'>,
): Promise<string | Refusal> {
  const kind = billKindOf(provider)
  if (kind === undefined) return noReports(provider)
  const { requests, headers, hasProjects } = INTERFACES[kind]
  if (project !== undefined && !hasProjects) return noProjects(provider)
  const todayMs = nowMs - (nowMs % DAY_MS)
  // Right after midnight today has no whole hour yet.
  const usageToMs = nowMs - (nowMs % HOUR_MS)
  const wish = { fromMs: todayMs - days * DAY_MS, usageToMs, costsToMs: todayMs, accounts, project }
  const readPage = (text: string, marks: object) => readBillPage(text, { kind, wish, marks })
  const pages = await readReportPages(provider, { questions: requests(wish), headers, readPage }, { ...deps, wait })
  return isRefusal(pages) ? pages : `[${pages.join(',')}]`
}

function noProjects({ name }: Provider): Refusal {
  const says = `'${name}' has no projects: name the keys that are ours instead.`
  return refuse('invalid_request', says, { param: 'project' })
}

/** How keys of administrators begin, where they begin in a way of their own; those of calls are refused. */
const BEGINNINGS: Readonly<Partial<Record<BillKind, string>>> = { openai: 'sk-admin-', anthropic: 'sk-ant-admin' }

type TryDeps = Omit<ReportPagesDeps, 'wait'> & BalanceAskDeps

/**
 * Asks for as little as shows whether the provider takes the secret of its administrator, which is kept already: the costs of yesterday, or what
 * is left. Where it does and a project is named, also whether Farebox has that for itself.
 */
export async function tryBillSecret(
  provider: Provider,
  { secret, project }: { readonly secret: string; readonly project: string | undefined },
  deps: TryDeps,
): Promise<TriedSecret> {
  const problem = await problemOf(provider, secret, deps)
  if (problem !== undefined) return { problem }
  return { problem: null, ...(project !== undefined && { project: await ownProject(provider, project, deps) }) }
}

/** Why the provider does not take it, as a sentence; undefined where it does. */
async function problemOf(provider: Provider, secret: string, deps: TryDeps): Promise<string | undefined> {
  const kind = billKindOf(provider)
  if (kind === undefined) return tryBalance(provider, deps)
  const { requests, headers } = INTERFACES[kind]
  const nowMs = deps.nowMs()
  const todayMs = nowMs - (nowMs % DAY_MS)
  const wish = {
    fromMs: todayMs - DAY_MS,
    usageToMs: todayMs,
    costsToMs: todayMs,
    accounts: undefined,
    project: undefined,
  }
  const questions = requests(wish).filter(({ report }) => report !== 'usage')
  const readPage = (text: string, marks: object) => readBillPage(text, { kind, wish, marks })
  const pages = await readReportPages(provider, { questions, headers, readPage }, { ...deps, wait })
  if (!isRefusal(pages)) return undefined
  const beginning = BEGINNINGS[kind]
  const isLike = beginning === undefined || secret.startsWith(beginning)
  const hint = isLike ? '' : ` Keys of administrators begin with ${beginning} there.`
  return `${pages.message}${hint}`
}

async function tryBalance(provider: Provider, deps: BalanceAskDeps): Promise<string | undefined> {
  const kind = balanceKindOf(provider)
  if (kind === undefined) return undefined
  const answer = await askBalance(provider, { kind, path: BALANCES[kind].path }, deps)
  return answer.type === 'problem' ? answer.says : undefined
}

/** One question: which keys there are in the project, and which of them calls go with. */
async function ownProject(provider: Provider, project: string, deps: TryDeps): Promise<OwnProject> {
  const kind = billKindOf(provider)
  const known = kind === undefined ? undefined : PROJECT_KEYS[kind]
  if (kind === undefined || known === undefined)
    return { problem: 'Farebox knows nothing of its projects.', keys: [], has_more: false }
  const { question, hint, name } = known
  const questions = {
    questions: [{ report: 'keys', ...question(project) }],
    headers: INTERFACES[kind].headers,
    readPage: (text: string) => Promise.resolve(keysPage(text, hint)),
    words: { what: `Its ${name}`, missing: `It has no ${name} '${project}' (404).` },
  }
  const pages = await readReportPages(provider, questions, { ...deps, wait })
  if (isRefusal(pages)) return { problem: pages.message, keys: [], has_more: false }
  const [{ keys, hasMore } = NO_KEYS] = pages
  const secrets = await secretsOfCalls(provider, deps)
  return {
    problem: null,
    keys: keys.map((key) => ({ id: key.id, name: key.name, is_ours: isHintOf(key.hint, secrets) ?? null })),
    has_more: hasMore,
  }
}

/** A page is as many keys as are asked for: it is short. */
function keysPage(text: string, hint: string) {
  const body = text.length <= MAX_KEYS_LENGTH ? parseMeasured(text) : undefined
  if (body === undefined) return undefined
  const kept = projectKeysIn(body, hint)
  return kept === undefined
    ? ({ next: { type: 'unclear' }, kept: NO_KEYS } as const)
    : ({ next: { type: 'last' }, kept } as const)
}

/** To be compared with what a provider shows of its keys; they go nowhere. */
async function secretsOfCalls(provider: Provider, { secrets }: TryDeps): Promise<readonly string[]> {
  if (!provider.hasSecret) return []
  try {
    const texts = await Promise.all(eachSecret(provider).map((each) => secrets.get(secretReference(each))))
    return texts.flatMap((text) => (text === undefined ? [] : (readCredentials(text).secret ?? [])))
  } catch (error) {
    // Then nobody knows whose keys they are.
    if (error instanceof SecretFailure) return []
    throw error
  }
}
