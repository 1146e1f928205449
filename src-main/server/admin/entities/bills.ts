// Bills of providers: which file is read, for which provider, and what becomes of corrections.

import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { adjustKey, adjustmentId } from '#catalog/adjustments.ts'
import { listBillSecrets, removeBillSecret, setBillSecret } from '#catalog/bill-secrets.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { noProvider } from '#catalog/providers.ts'
import { takeTurns } from '#catalog/turns.ts'
import type { RequestBody } from '#contract/admin-api.ts'
import type { BillCheckBody, BillSecretView, BillSettled } from '#contract/bills.ts'
import { microToCredits } from '#core/money.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { Viewer } from '#core/member.ts'
import type { BillCheckRequest } from '#reports/bill-check.ts'
import type { BillCorrection } from '#reports/bill-corrections.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'
import { JsonText } from '#server/http/json-text.ts'
import { ReportQueue } from '#server/reports/report-queue.ts'

export const BILL_AUDIT: AuditRules = {
  kept: ['provider', 'file', 'account_keys', 'project', 'days', 'keep', 'kept_day'],
}

/** A week: hours that are late by a few days are in it, and it is a few pages. */
const USUAL_DAYS = 7

/** For so long a comparison of all days is as good as new. */
const RECENT_MS = 15_000
/** Of the page of all bills. */
const SHOWN_DAYS = '31'
const DAY_MS = 86_400_000

/** A month of hours of many models and keys is some ten megabytes. */
const MAX_FILE_BYTES = 64 * 1_048_576

export function billHandlers(deps: EntityDeps): HandlersOf<'bills'> {
  const { context, reports, inTurn, keptBills } = deps
  const queue = new ReportQueue()
  const inFileTurn = takeTurns()
  const recent = new RecentAnswer(() => context.nowMs())
  /** A file is read in its turn, and a provider is asked in it, so that only one report is in memory at a time. */
  const inQueue = <Result>(body: BillCheckBody, viewer: Viewer, work: (asked: AskedBill) => Promise<Result>) =>
    queue.run(viewer, () =>
      inFileTurn(async () => {
        const asked = await requestOf(deps, body)
        return isRefusal(asked) ? asked : work(asked)
      }),
    )
  return {
    checkBill: async ({ body, viewer }) => {
      const answer = await inQueue(body, viewer, async (asked) => {
        const kept = body.keep === true ? await keepBill(deps, asked, body) : undefined
        recent.forget()
        return kept ?? reports.billCheck(asked)
      })
      return isRefusal(answer) ? answer : new JsonText(answer)
    },
    settleBill: async ({ body: { dry_run: isDryRun = false, ...body }, viewer }) => {
      const corrections = await inQueue(body, viewer, (asked) => reports.billCorrections(asked))
      if (isRefusal(corrections)) return corrections
      if (isDryRun) return { dry_run: true, corrections: corrections.map((one) => shown(one, stateOf(context, one))) }
      return inTurn(() => settle(context, corrections))
    },
    listBills: async ({ query: { days = SHOWN_DAYS }, viewer }) => {
      const nowMs = context.nowMs()
      const toMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS
      const providers = context.catalog.providers.map(({ id, name }) => ({ id, name }))
      const request = { providers, fromMs: toMs - Number(days) * DAY_MS, toMs, nowMs }
      const answer = await recent.get(days, () => queue.run(viewer, () => reports.billDays(request)))
      return isRefusal(answer) ? answer : new JsonText(answer)
    },
    forgetBills: ({ id }) =>
      inTurn(async () => {
        const provider = context.catalog.provider(id)
        if (provider === undefined) return noProvider(id)
        await keptBills.forget(provider.id)
        recent.forget()
        return {}
      }),
    listAccountBalances: () => deps.balances.list(),
    askAccountBalances: async ({ body: { provider: idOrName } }) => {
      const provider = idOrName === undefined ? undefined : context.catalog.provider(idOrName)
      if (idOrName !== undefined && provider === undefined) return noProvider(idOrName)
      return deps.balances.askNow(provider?.id)
    },
    listBillSecrets: () => listBillSecrets(context),
    setBillSecret: ({ id, body }) => giveSecret(deps, id, body),
    removeBillSecret: ({ id }) => inTurn(() => removeBillSecret(context, id)),
  }
}

/** Kept whatever the provider says: somebody else may have to give it its rights there. */
async function giveSecret(
  { context, inTurn, tryBillSecret }: EntityDeps,
  id: string,
  { secret, try: isTried = false, project }: RequestBody<'setBillSecret'>,
): Promise<BillSecretView | Refusal> {
  if (project !== undefined && !isTried)
    return refuse('invalid_request', "'project' goes with 'try'.", { param: 'project' })
  const kept = await inTurn(() => setBillSecret(context, id, secret))
  const provider = context.catalog.provider(id)
  if (isRefusal(kept) || !isTried || provider === undefined) return kept
  return { ...kept, tried: await tryBillSecret(provider, { secret, project }) }
}

/** The overview and the page ask for the same, and each answer compares a month. Where that was refused, whoever asks next tries again. */
class RecentAnswer {
  readonly #nowMs: () => number
  #version = 0
  #last: { readonly name: string; readonly atMs: number; readonly answer: Uint8Array } | undefined

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  async get(name: string, make: () => Promise<Uint8Array | Refusal>): Promise<Uint8Array | Refusal> {
    const last = this.#last
    if (last?.name === name && Math.abs(this.#nowMs() - last.atMs) < RECENT_MS) return last.answer
    const [atMs, version] = [this.#nowMs(), this.#version]
    const answer = await make()
    if (!isRefusal(answer) && this.#version === version) this.#last = { name, atMs, answer }
    return answer
  }

  /** Also what is on its way. */
  forget(): void {
    this.#version += 1
    this.#last = undefined
  }
}

type AskedBill = BillCheckRequest & { readonly isOfProvider: boolean }

async function requestOf(
  { context, reports, readBill }: EntityDeps,
  body: BillCheckBody,
): Promise<AskedBill | Refusal> {
  const { provider: idOrName, file, kept_day: keptDay, account_keys: accounts, project, days } = body
  const provider = context.catalog.provider(idOrName)
  if (provider === undefined) return noProvider(idOrName)
  const ofProvider = { providerId: provider.id, providerName: provider.name, accounts }
  if (keptDay !== undefined) {
    const param = (['file', 'account_keys', 'project', 'days', 'keep'] as const).find(
      (name) => body[name] !== undefined,
    )
    if (param !== undefined) return notBeside(param, 'kept_day')
    const fromMs = Date.parse(keptDay)
    if (Number.isNaN(fromMs)) return refuse('invalid_request', `'kept_day' is no day.`, { param: 'kept_day' })
    return { ...ofProvider, source: { fromMs, toMs: fromMs + DAY_MS }, isOfProvider: false }
  }
  if (file !== undefined) {
    const param = project === undefined ? 'days' : 'project'
    if (body[param] !== undefined) return notBeside(param, 'file')
    const source = await readFile(file)
    return isRefusal(source) ? source : { ...ofProvider, source, isOfProvider: false }
  }
  const nowMs = context.nowMs()
  const account = await reports.billAccount(provider.id)
  const wish = { days: days ?? USUAL_DAYS, nowMs, accounts: accounts ?? account.accountKeys }
  const text = await readBill(provider, { ...wish, project: project ?? account.project })
  return isRefusal(text) ? text : { ...ofProvider, source: { text, madeMs: nowMs }, isOfProvider: true }
}

/** The numbers of a report, and what was said of the account with it. A file that says that it is of tomorrow is of now. */
async function keepBill(
  { context, reports, keptBills, inTurn }: EntityDeps,
  { providerId, providerName, source, isOfProvider }: AskedBill,
  { account_keys: accountKeys, project }: BillCheckBody,
): Promise<Refusal | undefined> {
  if (!('text' in source)) return undefined
  const read = await reports.billRows(source.text)
  if (isRefusal(read)) return read
  const madeMs = Math.min(source.madeMs, context.nowMs())
  // What a provider is asked for is all that there is of its time, so that each time it takes the place of what was there.
  const form = isOfProvider ? `asked ${madeMs}` : read.form
  const report = { providerId, form, madeMs, account: { accountKeys, project }, rows: read.rows }
  const problem = await inTurn(() => keptBills.keep(report))
  return problem === undefined ? undefined : refuse('conflict', CANNOT_KEEP[problem].replace('NAME', providerName))
}

const CANNOT_KEEP = {
  overlaps:
    'A report of other hours or days of the same time is kept. Take the same ones, or forget it first: farebox bills forget NAME',
  too_many:
    'More than 500,000 lines of reports would be kept. Forget those of a provider first: farebox bills forget NAME',
} as const

/** A correction is named by its call, so that a call is corrected once whoever asks how often. */
async function settle(context: CatalogContext, corrections: readonly BillCorrection[]): Promise<BillSettled> {
  const settled: Settled[] = []
  for (const one of corrections) {
    const wasMade = stateOf(context, one) === 'before'
    const credits = microToCredits(one.amountMicro)
    const input = { credits, reason: one.reason, idempotency_id: settlementId(one) }
    const made = await adjustKey(context, one.keyId, input)
    settled.push(isRefusal(made) ? shown(one, 'refused', made.message) : shown(one, wasMade ? 'before' : 'made'))
  }
  return { dry_run: false, corrections: settled }
}

type Settled = BillSettled['corrections'][number]

function shown(one: BillCorrection, state: Settled['state'], message: string | null = null): Settled {
  const { callId: call, keyName: key, amountMicro, reason } = one
  return { call, key, credits: microToCredits(amountMicro), reason, state, message }
}

/** `readReceipt` finds the correction of a call by it. */
function settlementId({ callId }: BillCorrection): string {
  return `bill-${callId}`
}

function stateOf({ ledger }: CatalogContext, one: BillCorrection): 'open' | 'before' {
  return ledger.hasAdjustment(one.keyId, adjustmentId('correction', settlementId(one))) ? 'before' : 'open'
}

function notBeside(param: keyof BillCheckBody, other: 'file' | 'kept_day'): Refusal {
  const says =
    other === 'file' ? 'is for asking the provider, not for a file' : `goes with a report, not with '${other}'`
  return refuse('invalid_request', `'${param}' ${says}.`, { param })
}

type ReadBill = { readonly text: string; readonly madeMs: number }

/** The gateway's working folder is not the one in which somebody typed the path. */
async function readFile(file: string): Promise<ReadBill | Refusal> {
  if (!isAbsolute(file)) return refuse('invalid_request', `'file' must be an absolute path.`, { param: 'file' })
  try {
    // Without O_NONBLOCK, a pipe would be waited for until somebody writes to it.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = await handle.stat()
      if (!stats.isFile()) return refuse('invalid_request', `${file} is not a file.`, { param: 'file' })
      // A file may grow while it is read, and some say that they are empty and are not.
      const bytes = await buffer(handle.createReadStream({ end: MAX_FILE_BYTES, autoClose: false }))
      if (bytes.length > MAX_FILE_BYTES) {
        return refuse('invalid_request', `${file} is larger than 64 MB.`, { param: 'file' })
      }
      return { text: textOf(bytes), madeMs: Math.floor(stats.mtimeMs) }
    } finally {
      await handle.close()
    }
  } catch {
    // Why it cannot be read is for the administrator to look at, who has the file.
    return refuse('invalid_request', `${file} cannot be read.`, { param: 'file' })
  }
}

/** Spreadsheets write "Unicode text" as UTF-16, which begins with a mark that says so. */
function textOf(bytes: Buffer): string {
  return bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.toString('utf16le') : bytes.toString('utf8')
}
