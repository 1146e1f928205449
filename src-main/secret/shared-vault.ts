// The vault that gateways share: sealed rows in their database, and the key on the gateways alone. What whoever can write to the database
// puts there opens nothing, and an earlier state of a secret is not taken for the present one. It never logs, and its errors hold no secret.

import { SecretFailure } from '#core/secret-failure.ts'
import type { KnownRevisions } from '#secret/known-revisions.ts'
import type { ListedSecret, ResealingStore, SecretReference } from '#secret/port.ts'
import { openRow, sealRow, type SharedRow } from '#secret/shared-rows.ts'
import type { VaultKeys } from '#secret/vault-keys.ts'
import { requireSound } from '#secret/vault.ts'

/** `keyless`: gateways at these places could not open it. `overtaken`: the row is not of that revision any more. */
export type PutAnswer =
  { readonly type: 'put' | 'overtaken' } | { readonly type: 'keyless'; readonly places: readonly string[] }

/** The rows in the database. All methods reject with a SecretFailure where it cannot be asked. */
export interface SharedRows {
  readonly gatewayId: string
  /** undefined before this gateway first joined. */
  readonly booksId: string | undefined
  /** Puts a row in the place of the one of a revision, or where there is none. */
  put(row: ReturnType<typeof sealRow>, known: number | undefined): Promise<PutAnswer>
  /** Has the vault take what has changed by now. */
  look(): Promise<void>
}

export type SharedVaultOptions = {
  readonly keys: VaultKeys
  readonly rows: SharedRows
  readonly revisions: KnownRevisions
  readonly nowMs: () => number
  readonly monotonicMs: () => number
  /** Another gateway changed a secret of this provider. */
  readonly onChanged: (providerId: string) => void
  /** A row of this provider was not taken; `why` is a sentence. */
  readonly onFlaw: (providerId: string, why: string) => void
}

type Flaw = 'key' | 'changed' | 'older'
type Entry = {
  readonly reference: SecretReference
  /** The revision that the database says it has; undefined where it has none. */
  readonly kept: number | undefined
  /** The latest one that opened. */
  readonly row: SharedRow | undefined
  readonly flaw: Flaw | undefined
  readonly freshUntilMs: number
}

type Judged = { readonly row: SharedRow; readonly flaw: Flaw | undefined }

/** What another gateway keeps is in a row of a provider by then, or taken back. */
const FRESH_MS = 60_000
const MAX_TRIES = 5
const FLAWS = {
  key: 'In the shared database it is sealed with a key that this gateway does not have: name it with FAREBOX_VAULT_KEY_FILE or FAREBOX_VAULT_OLD_KEY_FILE.',
  changed:
    'What the shared database has in its place was not sealed for it by these gateways, or was changed. Set it again.',
  older: 'The shared database has an earlier one than this gateway knew. Set it again.',
} as const satisfies Record<Flaw, string>
const OVERTAKEN = 'Other gateways kept setting this secret in the same moment. Try again.'

export class SharedVault implements ResealingStore {
  readonly #options: SharedVaultOptions
  /** By name; undefined before the database was first read. */
  #entries: Map<string, Entry> | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(options: SharedVaultOptions) {
    this.#options = options
  }

  /** Which keys it has. */
  get keyIds(): readonly string[] {
    const { current, others } = this.#options.keys
    return [current, ...others].map(({ id }) => id)
  }

  /** Whether there are secrets of which these keys open none. */
  get isForeign(): boolean {
    const all = [...(this.#entries?.values() ?? [])]
    return all.length > 0 && all.every(({ row }) => row === undefined)
  }

  async get(reference: SecretReference): Promise<string | undefined> {
    const entry = this.#known().get(nameOf(reference))
    if (entry === undefined) return undefined
    if (entry.row === undefined) throw new SecretFailure('files', FLAWS[entry.flaw ?? 'changed'])
    const text = this.#textOf(entry)
    return text === '' ? undefined : text
  }

  async set(reference: SecretReference, secret: string): Promise<void> {
    requireSound(reference, secret)
    await this.#put(reference, () => secret)
  }

  async delete(reference: SecretReference): Promise<void> {
    const isThere = (entry: Entry | undefined) => entry !== undefined && this.#textOf(entry) !== ''
    if (!isThere(this.#known().get(nameOf(reference)))) return
    // What stays is a sealed note that it was removed, so that nobody brings it back.
    await this.#put(reference, (entry) => (isThere(entry) ? '' : undefined))
  }

  async list(): Promise<ListedSecret[]> {
    const nowMs = this.#options.monotonicMs()
    return [...this.#known().values()].flatMap((entry) => {
      if (this.#textOf(entry) === '') return []
      const { reference, flaw, freshUntilMs } = entry
      return [{ ...reference, ...(flaw !== undefined && { flaw: FLAWS[flaw] }), isFresh: nowMs < freshUntilMs }]
    })
  }

  async reseal(): Promise<{ readonly resealed: number; readonly unreadable: number }> {
    let [resealed, unreadable] = [0, 0]
    const isOld = ({ row }: Entry) => row?.keyId !== this.#options.keys.current.id
    for (const entry of [...this.#known().values()].filter(isOld)) {
      if (entry.row === undefined) unreadable += 1
      else if (await this.#put(entry.reference, (now) => (now && isOld(now) ? this.#textOf(now) : undefined)))
        resealed += 1
    }
    return { resealed, unreadable }
  }

  /** Takes over rows of the database: all that there are, or those that changed. */
  async take(rows: readonly SharedRow[], { isAll }: { readonly isAll: boolean }): Promise<void> {
    const judged: Judged[] = []
    for (const row of rows) judged.push({ row, flaw: await this.#flawOf(row) })
    const opened = judged.filter(({ flaw }) => flaw === undefined)
    await this.#options.revisions.note(opened.map(({ row }) => [nameOf(row), row.revision]))
    // Nothing is waited for from here on: what is set here meanwhile would be lost.
    const before = this.#entries ?? new Map<string, Entry>()
    const entries = new Map(isAll ? [] : before)
    for (const each of judged) {
      const name = nameOf(each.row)
      entries.set(name, this.#entryOf(each, before.get(name)))
    }
    for (const [name, had] of before) {
      if (!entries.has(name) && had.row !== undefined) entries.set(name, { ...had, kept: undefined, flaw: 'older' })
    }
    this.#entries = entries
    this.#tell(judged, before)
    // In a turn of its own: whoever brought the rows is in the database's. What could not be put back is told by its flaw.
    setImmediate(() => void this.#putBack().catch(() => undefined))
  }

  #entryOf({ row, flaw }: Judged, had: Entry | undefined): Entry {
    // It was read before a later one was set here.
    if (flaw === undefined && had?.row !== undefined && had.row.revision > row.revision) return had
    const isFresh = row.isLate && row.gateway !== this.#options.rows.gatewayId
    return {
      reference: referenceOf(row),
      kept: row.revision,
      row: flaw === undefined ? row : had?.row,
      flaw,
      freshUntilMs: isFresh ? this.#options.monotonicMs() + FRESH_MS : 0,
    }
  }

  #tell(judged: readonly Judged[], before: ReadonlyMap<string, Entry>): void {
    const { rows, onChanged, onFlaw } = this.#options
    const changed = new Set<string>()
    for (const { row, flaw } of judged) {
      if (flaw !== undefined) onFlaw(row.providerId, FLAWS[flaw])
      else if (row.gateway !== rows.gatewayId && row.sealed !== before.get(nameOf(row))?.row?.sealed) {
        changed.add(row.providerId)
      }
    }
    for (const providerId of changed) onChanged(providerId)
  }

  async #flawOf(row: SharedRow): Promise<Flaw | undefined> {
    const { keys, rows, revisions } = this.#options
    const opened = openRow(keys, rows.booksId ?? '', row)
    if (typeof opened === 'string') return opened
    return row.revision < (await revisions.of(nameOf(row))) ? 'older' : undefined
  }

  /** A database that lost its last commits, or that somebody changed or put back, gets the later ones again. */
  async #putBack(): Promise<void> {
    for (const [name, entry] of this.#entries ?? []) {
      // What has another key may be later than what is here.
      if (entry.flaw === undefined || entry.flaw === 'key' || entry.row === undefined) continue
      const { gateway: _, isLate: __, ...row } = entry.row
      const { type } = await this.#options.rows.put(row, entry.kept)
      if (type !== 'put' || this.#entries?.get(name) !== entry) continue
      this.#entries.set(name, { ...entry, kept: row.revision, flaw: undefined })
    }
  }

  /** Seals what `edit` makes of an entry; false where it makes nothing. */
  #put(reference: SecretReference, edit: (entry: Entry | undefined) => string | undefined): Promise<boolean> {
    const put = this.#last.then(() => this.#tryPut(reference, edit))
    // The caller gets its error.
    this.#last = put.then(
      () => undefined,
      () => undefined,
    )
    return put
  }

  async #tryPut(reference: SecretReference, edit: (entry: Entry | undefined) => string | undefined): Promise<boolean> {
    const { keys, rows, revisions, nowMs } = this.#options
    const name = nameOf(reference)
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const entry = this.#known().get(name)
      const text = edit(entry)
      if (text === undefined) return false
      const known = Math.max(await revisions.of(name), entry?.row?.revision ?? 0)
      // By the time it is also later than what other gateways have seen and this one has not.
      const revision = Math.max(known + 1, nowMs())
      const row = sealRow(keys, { ...referenceOf(reference), booksId: rows.booksId ?? '', revision }, text)
      const answer = await rows.put(row, entry?.kept)
      if (answer.type === 'keyless') throw keyless(answer.places)
      if (answer.type === 'put') {
        const own = { ...row, gateway: rows.gatewayId, isLate: true }
        const after = { reference: referenceOf(reference), kept: revision, row: own, flaw: undefined, freshUntilMs: 0 }
        this.#known().set(name, after)
        await revisions.note([[name, revision]])
        return true
      }
      await rows.look()
    }
    throw new SecretFailure('database', OVERTAKEN)
  }

  #textOf({ row }: Entry): string | undefined {
    if (row === undefined) return undefined
    const { keys, rows } = this.#options
    const opened = openRow(keys, rows.booksId ?? '', row)
    return typeof opened === 'string' ? undefined : opened.text
  }

  #known(): Map<string, Entry> {
    if (this.#entries === undefined) throw new SecretFailure('database')
    return this.#entries
  }
}

function keyless(places: readonly string[]): SecretFailure {
  const which = `Gateways that do not have the key with which this one seals: ${places.join(', ')}.`
  return new SecretFailure('database', `${which} Give it to all of them first.`)
}

function referenceOf({ providerId, origin, label }: SecretReference): SecretReference {
  return { providerId, origin, ...(label === undefined ? {} : { label }) }
}

/** JSON keeps the texts apart whatever they contain. */
function nameOf({ providerId, origin, label = '' }: SecretReference): string {
  return JSON.stringify([providerId, origin, label])
}
