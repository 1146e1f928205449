// Where the secrets of providers are kept, as the rest of Farebox sees it. Whoever holds a store can read every secret, so
// it is handed only to what sends them upstream and to what lets an administrator set them.

/**
 * Names a secret. `origin` is the origin of the provider's base URL as `new URL(baseUrl).origin` gives it. It is part of
 * the name so that a base URL that is changed to another host finds no secret, instead of mailing it there.
 */
export type SecretReference = { readonly providerId: string; readonly origin: string }

export type SecretStore = {
  /** The secret, or undefined when there is none for this provider at this origin. */
  get(reference: SecretReference): Promise<string | undefined>
  /** Keeps a secret, in place of the one that was there. It is durable when the promise resolves. */
  set(reference: SecretReference, secret: string): Promise<void>
  /** Forgets a secret. That there was none is no error. */
  delete(reference: SecretReference): Promise<void>
  /** Which secrets there are; never their text. */
  list(): Promise<SecretReference[]>
}
