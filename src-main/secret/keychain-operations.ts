// What the process that talks to the keychain does for each call, with nothing but the four functions of keytar.
//
// On Linux the library keeps secrets in the keyring of the kernel when no Secret Service answers: that would lose them at the
// next start of the machine, and finds nothing where the Secret Service is only slow. `findCredentials` has no such way
// out, and it never asks anybody to unlock anything; so the present state is read with it, and the other calls change it.

import type { SecretTrouble } from '#core/secret-failure.ts'

export type Keytar = {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
  findCredentials(service: string): Promise<readonly Credential[]>
}

type Credential = { readonly account: string; readonly password: string }

export type KeychainRequest =
  /** `asks`: whether the user may be asked to unlock the keychain. */
  | { readonly operation: 'get'; readonly service: string; readonly account: string; readonly asks: boolean }
  | { readonly operation: 'set'; readonly service: string; readonly account: string; readonly password: string }
  | { readonly operation: 'delete'; readonly service: string; readonly account: string }
  | { readonly operation: 'list'; readonly service: string }

export type KeychainResult =
  | { readonly type: 'secret'; readonly secret: string | undefined }
  | { readonly type: 'accounts'; readonly accounts: readonly string[] }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly trouble: SecretTrouble }

export type KeychainCall = { readonly id: number; readonly request: KeychainRequest }
export type KeychainAnswer = { readonly id: number; readonly result: KeychainResult }

const DONE = { type: 'done' } as const
/** A service name that no secret is kept under: asking for it tells a locked keychain from a missing one. */
const NO_SERVICE = 'Farebox asks whether there is a keychain'

/** Never rejects. The library's own messages stay here: they could name what is kept. */
export function carryOut(keytar: Keytar, request: KeychainRequest, platform: NodeJS.Platform): Promise<KeychainResult> {
  return platform === 'linux' ? onSecretService(keytar, request) : onSystemKeychain(keytar, request)
}

/** macOS and Windows have one keychain, which is always there. */
async function onSystemKeychain(keytar: Keytar, request: KeychainRequest): Promise<KeychainResult> {
  const { operation, service } = request
  try {
    switch (operation) {
      case 'get':
        return { type: 'secret', secret: (await keytar.getPassword(service, request.account)) ?? undefined }
      case 'set':
        await keytar.setPassword(service, request.account, request.password)
        return DONE
      case 'delete':
        await keytar.deletePassword(service, request.account)
        return DONE
      case 'list':
        return accountsOf(await keytar.findCredentials(service))
    }
  } catch {
    return failed(operation === 'set' ? 'refused' : 'locked')
  }
}

async function onSecretService(keytar: Keytar, request: KeychainRequest): Promise<KeychainResult> {
  const found = await look(keytar, request.service)
  switch (request.operation) {
    case 'get':
      return await getSecret(keytar, request, found)
    case 'set':
      return await setSecret(keytar, request, found)
    case 'delete':
      return await deleteSecret(keytar, request, found)
    case 'list':
      return found.type === 'failed' ? found : accountsOf(found.credentials)
  }
}

type Found = { readonly type: 'found'; readonly credentials: readonly Credential[] }
type Failed = Extract<KeychainResult, { type: 'failed' }>
type Request<Operation> = Extract<KeychainRequest, { operation: Operation }>

async function getSecret(keytar: Keytar, request: Request<'get'>, found: Found | Failed): Promise<KeychainResult> {
  if (found.type === 'found') return { type: 'secret', secret: passwordIn(found, request.account) }
  if (found.trouble !== 'locked' || !request.asks) return found
  // Asks the user to unlock. What it answers may come from the kernel's keyring, so it is looked up again.
  await attempt(() => keytar.getPassword(request.service, request.account))
  return await getSecret(keytar, { ...request, asks: false }, await look(keytar, request.service))
}

async function setSecret(keytar: Keytar, request: Request<'set'>, before: Found | Failed): Promise<KeychainResult> {
  const { service, account, password } = request
  if (before.type === 'failed' && before.trouble === 'unreachable') return before
  if (!(await attempt(() => keytar.setPassword(service, account, password)))) return failed('locked')
  const after = await look(keytar, service)
  if (after.type === 'failed') return after
  if (passwordIn(after, account) === password) return DONE
  // The Secret Service went away in between, and the kernel's keyring took the secret.
  await attempt(() => keytar.deletePassword(service, account))
  return failed('unreachable')
}

async function deleteSecret(keytar: Keytar, request: Request<'delete'>, before: Found | Failed) {
  const { service, account } = request
  if (before.type === 'failed') return before
  if (passwordIn(before, account) === undefined) return DONE
  await attempt(() => keytar.deletePassword(service, account))
  const after = await look(keytar, service)
  if (after.type === 'failed') return after
  return passwordIn(after, account) === undefined ? DONE : failed('locked')
}

/** What is kept under a service. One locked item hides all of them. */
async function look(keytar: Keytar, service: string): Promise<Found | Failed> {
  try {
    return { type: 'found', credentials: await keytar.findCredentials(service) }
  } catch {
    return failed((await attempt(() => keytar.findCredentials(NO_SERVICE))) ? 'locked' : 'unreachable')
  }
}

/** Whether it worked. Why it did not is only in the text of the library's error, which is no interface. */
async function attempt(operate: () => Promise<unknown>): Promise<boolean> {
  try {
    await operate()
    return true
  } catch {
    // The caller finds out what is there now.
    return false
  }
}

function passwordIn({ credentials }: Found, account: string): string | undefined {
  return credentials.find((credential) => credential.account === account)?.password
}

function accountsOf(credentials: readonly Credential[]): KeychainResult {
  return { type: 'accounts', accounts: credentials.map(({ account }) => account) }
}

function failed(trouble: SecretTrouble): Failed {
  return { type: 'failed', trouble }
}
