// The store of secrets as the rest of the program uses it: it remembers how things stand, answers a burst of calls with one
// question, and keeps at forgetting what could not be forgotten at once.

import { secretsIn } from '#core/credentials.ts'
import { SecretFailure } from '#core/secret-failure.ts'
import type { Forgetting } from '#secret/forgetting.ts'
import type { SecretKeeper, SecretReference, SecretStore } from '#secret/port.ts'

export type KeeperOptions = {
  readonly store: SecretStore
  readonly forgetting: Forgetting
  readonly monotonicMs: () => number
}

type State = ReturnType<SecretKeeper['stateOf']>
/** What was kept for a provider and the tokens that were got with it, the latest first, and the secrets in all of it. */
type Known = {
  readonly texts: readonly string[]
  readonly tokens: readonly string[]
  readonly secrets: readonly string[]
}
type Asked = { readonly outcome: Promise<string | undefined>; untilMs: number }

/** For how long the answer that there is no secret to be had holds; a secret that came back is seen after that. */
const AGAIN_MS = 1_000
/** An administrator who asks how things stand does not wait longer for a keychain. */
const REFRESH_MS = 3_000
/** Of one provider so many of the texts are known that were kept for it, and so many of its tokens, the latest ones. */
const MAX_KNOWN = 4
const NONE: readonly string[] = []
const NOTHING: Known = { texts: NONE, tokens: NONE, secrets: NONE }

export class Keeper implements SecretKeeper {
  readonly #options: KeeperOptions
  readonly #states = new Map<string, State>()
  readonly #asked = new Map<string, Asked>()
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

  list(): Promise<SecretReference[]> {
    return this.#options.store.list()
  }

  known(providerId: string): readonly string[] {
    return this.#known.get(providerId)?.secrets ?? NONE
  }

  noteToken(providerId: string, token: string): void {
    const { texts, tokens } = this.#known.get(providerId) ?? NOTHING
    if (tokens[0] !== token) this.#know(providerId, texts, latest(token, tokens))
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
      const there = new Set(references.length === 0 ? [] : (await this.#options.store.list()).map(nameOf))
      for (const name of references.map(nameOf)) this.#states.set(name, there.has(name) ? 'stored' : 'missing')
      this.#trouble = undefined
    } catch (error) {
      this.#remember(error, references)
      return
    }
    await this.forget()
  }

  #note({ providerId }: SecretReference, text: string): void {
    const { texts, tokens } = this.#known.get(providerId) ?? NOTHING
    if (texts[0] !== text) this.#know(providerId, latest(text, texts), tokens)
  }

  #know(providerId: string, texts: Known['texts'], tokens: Known['tokens']): void {
    this.#known.set(providerId, { texts, tokens, secrets: [...new Set([...texts.flatMap(secretsIn), ...tokens])] })
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

function latest(text: string, before: readonly string[]): readonly string[] {
  return [text, ...before.filter((other) => other !== text)].slice(0, MAX_KNOWN)
}

/** JSON keeps the two texts apart whatever they contain. */
function nameOf({ providerId, origin }: SecretReference): string {
  return JSON.stringify([providerId, origin])
}
