// The store of secrets as the rest of the program uses it: it remembers how things stand, answers a burst of calls with one
// question, and keeps at forgetting what could not be forgotten at once.

import { secretsIn } from '#core/credentials.ts'
import { SecretFailure } from '#core/secret-failure.ts'
import type { Forgetting } from '#secret/forgetting.ts'
import type { ListedSecret, SecretKeeper, SecretReference, SecretStore } from '#secret/port.ts'

export type KeeperOptions = {
  readonly store: SecretStore
  readonly forgetting: Forgetting
  readonly monotonicMs: () => number
}

type State = ReturnType<SecretKeeper['stateOf']>
/** A text that was kept for a provider, or a token that was got with one; `of` says which secret it belongs to. */
type KnownText = { readonly of: string; readonly text: string; readonly isToken: boolean }
type Known = { readonly texts: readonly KnownText[]; readonly secrets: readonly string[] }
type Asked = { readonly outcome: Promise<string | undefined>; untilMs: number }

/** For how long the answer that there is no secret to be had holds; a secret that came back is seen after that. */
const AGAIN_MS = 1_000
/** An administrator who asks how things stand does not wait longer for a keychain. */
const REFRESH_MS = 3_000
/** So many of the texts of one secret are known, and so many of its tokens, the latest ones; and so many of all secrets of a provider. */
const MAX_KNOWN = 4
const MAX_KNOWN_TOGETHER = 256
const NONE: readonly string[] = []

export class Keeper implements SecretKeeper {
  readonly #options: KeeperOptions
  readonly #states = new Map<string, State>()
  readonly #asked = new Map<string, Asked>()
  /** By provider, with all that is secret in what is known of it. */
  readonly #known = new Map<string, Known>()
  #trouble: string | undefined

  constructor(options: KeeperOptions) {
    this.#options = options
  }

  get trouble(): string | undefined {
    return this.#trouble
  }

  get toForget(): number {
    return this.#options.forgetting.size
  }

  get(reference: SecretReference): Promise<string | undefined> {
    const name = nameOf(reference)
    const earlier = this.#asked.get(name)
    if (earlier !== undefined && this.#options.monotonicMs() < earlier.untilMs) return earlier.outcome
    const asked: Asked = { outcome: this.#read(reference), untilMs: Infinity }
    this.#asked.set(name, asked)
    const settle = (secret?: string) => {
      if (secret === undefined) asked.untilMs = this.#options.monotonicMs() + AGAIN_MS
      // The next one who asks may ask after it was changed.
      else if (this.#asked.get(name) === asked) this.#asked.delete(name)
    }
    // The caller has the outcome itself and hears of a failure there.
    asked.outcome.then(settle, () => settle())
    return asked.outcome
  }

  async set(reference: SecretReference, secret: string): Promise<void> {
    await this.#options.store.set(reference, secret)
    this.#note(reference, secret)
    this.#learn(reference, 'stored')
  }

  async delete(reference: SecretReference): Promise<void> {
    await this.#options.store.delete(reference)
    this.#asked.delete(nameOf(reference))
    this.#states.delete(nameOf(reference))
  }

  list(): Promise<ListedSecret[]> {
    return this.#options.store.list()
  }

  /** Somebody else gave a provider another secret, or took one away: that there was none counts no more. */
  changedElsewhere(providerId: string): void {
    for (const name of this.#asked.keys()) if (isOf(name, providerId)) this.#asked.delete(name)
    for (const name of this.#states.keys()) if (isOf(name, providerId)) this.#states.delete(name)
  }

  known(providerId: string): readonly string[] {
    return this.#known.get(providerId)?.secrets ?? NONE
  }

  noteToken(providerId: string, token: string, label = ''): void {
    this.#know(providerId, { of: label, text: token, isToken: true })
  }

  stateOf(reference: SecretReference): State {
    return this.#states.get(nameOf(reference)) ?? 'stored'
  }

  async refresh(references: readonly SecretReference[]): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, REFRESH_MS)))
    await Promise.race([this.#look(references), limit])
    clearTimeout(timer)
  }

  intendToForget(providerIds: readonly string[]): Promise<void> {
    return this.#options.forgetting.intend(providerIds)
  }

  holdOffForgetting(): Promise<() => void> {
    return this.#options.forgetting.holdOff()
  }

  forget(): Promise<boolean> {
    return this.#options.forgetting.carryOut()
  }

  async #read(reference: SecretReference): Promise<string | undefined> {
    try {
      const secret = await this.#options.store.get(reference)
      this.#learn(reference, secret === undefined ? 'missing' : 'stored')
      if (secret === undefined) return undefined
      this.#note(reference, secret)
      void this.forget()
      return secret
    } catch (error) {
      this.#remember(error, [reference])
      throw error
    }
  }

  /** Never rejects: its caller may have stopped waiting. */
  async #look(references: readonly SecretReference[]): Promise<void> {
    try {
      const listed = references.length === 0 ? [] : await this.#options.store.list()
      const flaws = new Map(listed.map((secret) => [nameOf(secret), secret.flaw]))
      const names = references.map(nameOf)
      for (const name of names) {
        const state = flaws.get(name) === undefined ? 'stored' : 'locked'
        this.#states.set(name, flaws.has(name) ? state : 'missing')
      }
      this.#trouble = names.map((name) => flaws.get(name)).find((flaw) => flaw !== undefined)
    } catch (error) {
      this.#remember(error, references)
      return
    }
    await this.forget()
  }

  #note({ providerId, label = '' }: SecretReference, text: string): void {
    this.#know(providerId, { of: label, text, isToken: false })
  }

  #know(providerId: string, latest: KnownText): void {
    const { texts } = this.#known.get(providerId) ?? { texts: [] }
    const isLike = (one: KnownText) => one.of === latest.of && one.isToken === latest.isToken
    const like = texts.filter(isLike)
    if (like[0]?.text === latest.text) return
    const staying = like.filter(({ text }) => text !== latest.text).slice(0, MAX_KNOWN - 1)
    const all = [latest, ...texts.filter((one) => !isLike(one) || staying.includes(one))].slice(0, MAX_KNOWN_TOGETHER)
    const inTexts = all.flatMap(({ text, isToken }) => (isToken ? [] : secretsIn(text)))
    const tokens = all.flatMap(({ text, isToken }) => (isToken ? [text] : []))
    this.#known.set(providerId, { texts: all, secrets: [...new Set([...inTexts, ...tokens])] })
  }

  #learn(reference: SecretReference, state: State): void {
    this.#trouble = undefined
    this.#states.set(nameOf(reference), state)
    if (state === 'stored') this.#asked.delete(nameOf(reference))
  }

  #remember(error: unknown, references: readonly SecretReference[]): void {
    this.#trouble = error instanceof SecretFailure ? error.message : 'The store of secrets failed.'
    for (const reference of references) this.#states.set(nameOf(reference), 'locked')
  }
}

function isOf(name: string, providerId: string): boolean {
  return name.startsWith(`[${JSON.stringify(providerId)},`)
}

/** JSON keeps the two texts apart whatever they contain. */
function nameOf({ providerId, origin, label }: SecretReference): string {
  return JSON.stringify([providerId, origin, label])
}
