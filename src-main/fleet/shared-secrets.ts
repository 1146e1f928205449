// The sealed secrets that gateways share in PostgreSQL: this one puts its own there, and takes over what the others put. What they hold is not known here.

import { SecretFailure } from '#core/secret-failure.ts'
import { FleetUnreachable, type Answer } from '#fleet/connection.ts'
import { CannotJoin } from '#fleet/membership.ts'
import { pagesAfter } from '#fleet/pages-after.ts'
import type { Seat } from '#fleet/seat.ts'

type SealedName = { readonly providerId: string; readonly origin: string; readonly label?: string }
/** `sealed` is bound to the name and to the revision. */
type SealedSecret = SealedName & { readonly revision: number; readonly keyId: string; readonly sealed: string }
/** `isLate`: it changed less than a minute ago. */
type TakenSecret = SealedSecret & { readonly gateway: string; readonly isLate: boolean }

/** What opens secrets on this gateway. */
export interface Opener {
  readonly keyIds: readonly string[]
  /** Whether there are secrets of which none opens. */
  readonly isForeign: boolean
  take(rows: readonly TakenSecret[], how: { readonly isAll: boolean }): Promise<void>
}

type Put = { readonly type: 'put' | 'overtaken' } | { readonly type: 'keyless'; readonly places: readonly string[] }

/** So many in one message: what others ask meanwhile waits for it. */
const PAGE = 200
const WRONG_KEY =
  'The key of this gateway opens none of the secrets in the shared database: it is not the key of these gateways. Name theirs with FAREBOX_VAULT_KEY_FILE.'

export class SharedSecrets {
  readonly #seat: Seat
  #opener: { readonly opener: Opener; readonly isChosen: boolean } | undefined
  /** The last change of all that is here. */
  #seen = 0

  constructor(seat: Seat) {
    this.#seat = seat
  }

  /** From now on it is given what the database has. `isChosen`: its secrets are there and nowhere else. */
  open(opener: Opener, { isChosen }: { readonly isChosen: boolean }): void {
    this.#opener = { opener, isChosen }
  }

  get gatewayId(): string {
    return this.#seat.gatewayId
  }

  get booksId(): string | undefined {
    return this.#seat.booksId
  }

  /** In the turn of the seat, when it joined. Rejects with CannotJoin where it begins with a key that opens nothing. */
  async joined({ isBeginning }: { readonly isBeginning: boolean }): Promise<void> {
    const { opener, isChosen = false } = this.#opener ?? {}
    await this.#seat.say('tell_keys', [opener !== undefined && isChosen ? JSON.stringify(opener.keyIds) : null])
    await this.#takeAfter(0)
    if (isBeginning && isChosen && opener?.isForeign === true) throw new CannotJoin(WRONG_KEY)
  }

  /** How often any secret was changed by now. Rejects with FleetUnreachable. */
  async heard(seq: number): Promise<void> {
    if (seq !== this.#seen) await this.#lookAfter(seq < this.#seen ? 0 : this.#seen)
  }

  /** Takes over what changed. Rejects with a SecretFailure. */
  look(): Promise<void> {
    return reached(this.#lookAfter(this.#seen))
  }

  /** `known`: the revision that it takes the place of. Rejects with a SecretFailure. */
  put(
    { providerId, origin, label = '', revision, keyId, sealed }: SealedSecret,
    known: number | undefined,
  ): Promise<Put> {
    const values = [providerId, origin, label, known ?? null, revision, keyId, sealed]
    return reached(this.#seat.inTurn(async () => putOf(await this.#seat.say('put_secret', values))))
  }

  #lookAfter(seen: number): Promise<void> {
    return this.#seat.inTurn(() => this.#takeAfter(seen))
  }

  async #takeAfter(after: number): Promise<void> {
    if (this.#opener === undefined) return
    const { opener } = this.#opener
    const all: TakenSecret[] = []
    let last = after
    for await (const { rows, seen } of pagesAfter<SecretRow>(this.#seat, 'secrets_after', {
      seen: after,
      size: PAGE,
    })) {
      for (const row of rows) all.push(takenOf(row))
      last = seen
    }
    if (all.length > 0 || after === 0) await opener.take(all, { isAll: after === 0 })
    this.#seen = last
  }
}

type SecretRow = readonly [string, string, string, number, string, string, string, boolean, number]

function takenOf([providerId, origin, label, revision, keyId, sealed, gateway, isLate]: SecretRow): TakenSecret {
  return { providerId, origin, ...(label !== '' && { label }), revision, keyId, sealed, gateway, isLate }
}

function putOf({ error, places }: Answer): Put {
  switch (error) {
    case undefined:
      return { type: 'put' }
    case 'keyless':
      // What `put_secret` answers then.
      return { type: 'keyless', places: places as readonly string[] }
    default:
      return { type: 'overtaken' }
  }
}

async function reached<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked
  } catch (error) {
    throw error instanceof FleetUnreachable ? new SecretFailure('database') : error
  }
}
