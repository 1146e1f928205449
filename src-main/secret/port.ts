// Where the secrets of providers are kept, as the rest of Farebox sees it. Whoever holds a store can read every secret, so
// it is handed only to what sends them upstream and to what lets an administrator set them.

import type { SecretState } from '#core/secret-failure.ts'

/**
 * Names a secret. `origin` is the origin of the provider's base URL as `new URL(baseUrl).origin` gives it. It is part of
 * the name so that a base URL that is changed to another host finds no secret, instead of mailing it there.
 */
export type SecretReference = {
  readonly providerId: string
  readonly origin: string
  /** Of several secrets all but the first have one; it has no spaces. */
  readonly label?: string
}

export type ListedSecret = SecretReference & {
  /** Why it cannot be read, as a sentence; undefined where it can. */
  readonly flaw?: string
  /** Another gateway kept it a moment ago, for rows that this one may not know yet. */
  readonly isFresh?: boolean
}

/** All methods reject with a SecretFailure when the store cannot be used at the moment. */
export type SecretStore = {
  /** The secret, or undefined when there is none for this provider at this origin. */
  get(reference: SecretReference): Promise<string | undefined>
  /** Keeps a secret, in place of the one that was there. It is durable when the promise resolves; else the old one stays. */
  set(reference: SecretReference, secret: string): Promise<void>
  /** Forgets a secret. That there was none is no error. */
  delete(reference: SecretReference): Promise<void>
  /** Which secrets there are; never their text. Nobody is asked to unlock anything for it. */
  list(): Promise<ListedSecret[]>
}

/** A store whose key can be exchanged. */
export type ResealingStore = SecretStore & {
  /** Seals with the present key what was sealed with the one before it. Says how many that were, and how many open with neither. */
  reseal(): Promise<{ readonly resealed: number; readonly unreadable: number }>
}

/** A store that also knows how things stand, and that keeps at forgetting what cannot be forgotten at once. */
export type SecretKeeper = SecretStore & {
  /** What is known about a secret that should be there, without asking the store. */
  stateOf(reference: SecretReference): Exclude<SecretState, 'none'>
  /**
   * The secrets of a provider that were in use since the start, the ones that were replaced included, so that they can be taken
   * out of what it says. The same list for as long as nothing changes.
   */
  known(providerId: string): readonly string[]
  /** Notes a token that was got with a secret of a provider, so that `known` has it too. It is kept nowhere. `label`: of several secrets. */
  noteToken(providerId: string, token: string, label?: string): void
  /** Asks the store about these secrets, within a few seconds. Never rejects; `stateOf` has the outcome. */
  refresh(references: readonly SecretReference[]): Promise<void>
  /** Why the store could not answer when it was last asked; undefined when it could. */
  readonly trouble: string | undefined
  /** Notes down, durably, that providers have secrets that are to be forgotten once nothing uses them any more. */
  intendToForget(providerIds: readonly string[]): Promise<void>
  /** Nothing is forgotten from when it resolves until what it resolves to is called. */
  holdOffForgetting(): Promise<() => void>
  /** Forgets what was noted down, as far as the store allows. Resolves to whether nothing is left. Never rejects. */
  forget(): Promise<boolean>
  /** Of how many providers something is still to be forgotten. */
  readonly toForget: number
}
