// What `farebox migrate-to` does once a data folder is open and has joined the shared books: it holds what is shared against what is here, and on the way
// back takes off the balances what other gateways charged.

import type { Parts } from '#app/parts.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { wholeCatalog } from '#catalog/follow.ts'
import { microCredits, sumToCredits } from '#core/money.ts'
import type { SharedAccount } from '#fleet/connection.ts'
import type { Fleet } from '#fleet/fleet.ts'
import { CannotJoin, type FleetErrand } from '#fleet/membership.ts'
import type { CatalogChange } from '#store/catalog-rows.ts'

/** Counts, and sums in credits, of both sides. */
export type ComparedSum = { readonly what: string; readonly here: number; readonly shared: number }

export type MovedBooks = {
  readonly sums: readonly ComparedSum[]
  /** Where the sides differ; nothing is wrong where there are none. */
  readonly problems: readonly string[]
}

type Books = Pick<CatalogContext, 'catalog' | 'ledger'>
type Balance = { readonly keyId: string; readonly cycle: number; readonly leftMicro: number }

const NOBODY = 'There is no shared database.'
const IN_USE =
  'These books were moved before, and are in use since, so there is nothing to move. Start the gateway with FAREBOX_DATABASE_URL.'
/** So many changes of balances are on their way to the disk at once. */
const AT_ONCE = 1000
const MAX_PROBLEMS = 20

const WORDS = {
  'put-member': 'members',
  'put-provider': 'providers',
  'put-model': 'models',
  'put-package': 'packages',
  'put-key': 'keys',
  'put-invite': 'invites',
  'put-project': 'projects',
} as const

/** Throws CannotJoin where another gateway is in the way; it can be repeated. */
export function moveBooks(errand: FleetErrand, parts: Parts): Promise<MovedBooks> {
  return errand === 'bring' ? verifyBrought(parts) : takeBack(parts)
}

/** Whether everything that is here is shared now. */
async function verifyBrought({ calling, context }: Parts): Promise<MovedBooks> {
  const { brought, accounts, isInUse } = await fleetOf(calling.leases).found()
  if (brought === undefined || isInUse) throw new CannotJoin(IN_USE)
  const { rows } = wholeCatalog(context)
  const compared = Object.entries(WORDS).map(([type, what]) =>
    compareRows(what, ofType(rows, type), ofType(brought, type)),
  )
  return merged([...compared, compareBalances(context, accounts)])
}

/** Takes the balances back, as the last gateway. */
async function takeBack({ calling, context, stores }: Parts): Promise<MovedBooks> {
  const fleet = fleetOf(calling.leases)
  const { ledger } = context
  const elsewhere = await fleet.takeBack()
  const charged = balancesOf(context).filter(({ keyId, cycle }) => elsewhere(keyId, cycle) > 0)
  for (let from = 0; from < charged.length; from += AT_ONCE) {
    const some = charged.slice(from, from + AT_ONCE).map(({ keyId, cycle }) => {
      const amountMicro = microCredits(-elsewhere(keyId, cycle))
      const reason = 'charged by other gateways that shared the books'
      return ledger.adjust(keyId, { amountMicro, reason, id: `taken-back:${fleet.booksId}:${cycle}` })
    })
    await Promise.all(some)
  }
  const { accounts } = await fleet.found()
  const moved = compareBalances(context, accounts)
  if (moved.problems.length > 0) return moved
  await ledger.flush()
  await fleet.leaveForGood(stores.newId())
  return moved
}

function fleetOf(fleet: Fleet | undefined): Fleet {
  if (fleet === undefined) throw new CannotJoin(NOBODY)
  return fleet
}

function ofType(rows: readonly CatalogChange[], type: string): string[] {
  return rows.filter((row) => row.type === type).map(canonical)
}

/** A text that is the same for the same content, however its members are ordered; when it was written does not matter. */
function canonical(row: CatalogChange): string {
  return JSON.stringify(row, (name, value: unknown) => {
    if (name === 'changedAtMs') return undefined
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value
  })
}

function compareRows(what: string, here: readonly string[], shared: readonly string[]): MovedBooks {
  const known = new Set(shared)
  const differing = here.filter((row) => !known.has(row)).length
  const isSame = differing === 0 && here.length === shared.length
  const problem = `${Math.max(differing, Math.abs(here.length - shared.length))} of the ${what} differ`
  return { sums: [{ what, here: here.length, shared: shared.length }], problems: isSame ? [] : [problem] }
}

/** What is left of every balance in its present cycle. */
function balancesOf({ catalog, ledger }: Books): Balance[] {
  return catalog.keys.flatMap(({ id }) => {
    const [keyId, cycle, , grantedMicro, usedMicro, , , packageType] = ledger.rowOf(id)
    return packageType === 'unlimited' ? [] : [{ keyId, cycle, leftMicro: grantedMicro - usedMicro }]
  })
}

/** To the micro-credit, each balance by itself. */
function compareBalances(books: Books, accounts: readonly SharedAccount[]): MovedBooks {
  const { catalog, ledger } = books
  const known = new Map(accounts.map(({ keyId, cycle, leftMicro }) => [`${keyId} ${cycle}`, leftMicro]))
  const balances = balancesOf(books)
  const pairs = balances.map(({ keyId, cycle, leftMicro }) => {
    // Nobody has used a cycle of which nothing is known: it begins with what its package grants.
    const sharedMicro = known.get(`${keyId} ${cycle}`) ?? ledger.rowOf(keyId)[8]
    return { keyId, leftMicro, sharedMicro }
  })
  const differing = pairs.filter(({ leftMicro, sharedMicro }) => leftMicro !== sharedMicro)
  const sum = (amounts: readonly number[]) => sumToCredits(amounts.reduce((total, amount) => total + amount, 0))
  return {
    sums: [
      { what: 'balances', here: balances.length, shared: pairs.length - differing.length },
      {
        what: 'credits left',
        here: sum(pairs.map(({ leftMicro }) => leftMicro)),
        shared: sum(pairs.map(({ sharedMicro }) => sharedMicro)),
      },
    ],
    problems: differing.map(({ keyId, leftMicro, sharedMicro }) => {
      const name = catalog.key(keyId)?.name ?? keyId
      return `of the key ${name} ${sumToCredits(leftMicro)} credits are left here, and ${sumToCredits(sharedMicro)} are shared`
    }),
  }
}

function merged(parts: readonly MovedBooks[]): MovedBooks {
  const problems = parts.flatMap((part) => part.problems)
  return { sums: parts.flatMap(({ sums }) => sums), problems: problems.slice(0, MAX_PROBLEMS) }
}
