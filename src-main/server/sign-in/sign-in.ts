// Signing in, with a ticket, with a name and a password, or with a key alone. Nobody learns from an answer, or from how long it took,
// whether a name is a member's.

import type { Catalog } from '#catalog/catalog.ts'
import type { SignIn } from '#contract/members.ts'
import type { Member } from '#core/member.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { Visits } from '#server/sign-in/visits.ts'
import type { Try } from '#server/sign-in/sign-in-throttle.ts'
import { refuseUnknown, signInByKey, type KeySignInDeps, type SignedInByKey } from '#server/sign-in/key-sign-in.ts'

export type SignInDeps = {
  readonly catalog: Catalog
  readonly visits: Visits
  /** Keeps a password that was hashed anew, because hashing costs more by now. */
  readonly keepHash: (member: Member, passwordHash: string) => Promise<void>
  readonly keys: KeySignInDeps
}

/** Who it is: undefined for the owner of the machine. */
export type SignedInAs = { readonly type: 'signed-in'; readonly member: Member | undefined }

export async function signIn(
  body: SignIn,
  address: string,
  deps: SignInDeps,
): Promise<SignedInAs | SignedInByKey | Refusal> {
  if ('key' in body) return signInByKey(body.key, address, deps.keys)
  if (!('ticket' in body)) return signInMember(body, address, deps)
  if (deps.visits.tickets.redeem(body.ticket)) return { type: 'signed-in', member: undefined }
  const message = 'This ticket is not good any more. `farebox open` makes a new one, which is good for a minute.'
  return refuseUnknown(refuse('unauthenticated', message), deps.visits.keySignIns)
}

type Claim = { readonly name: string; readonly password: string }

async function signInMember(claim: Claim, address: string, deps: SignInDeps): Promise<SignedInAs | Refusal> {
  const before = deps.catalog.member(claim.name)
  // An id is not a name.
  const named = before?.name.toLowerCase() === claim.name.toLowerCase() ? before : undefined
  const asked = { name: claim.name, address }
  const checked = await checkPassword(claim.password, { asked, kept: named?.passwordHash, visits: deps.visits })
  if (isRefusal(checked)) return checked
  // Asked again: hashing takes long enough to be suspended meanwhile.
  const member = named === undefined ? undefined : deps.catalog.member(named.id)
  const isSame = member?.passwordHash === named?.passwordHash
  if (!checked.isRight || !isSame || member?.status !== 'active') {
    return refuse('unauthenticated', 'The name or the password is wrong.')
  }
  deps.visits.throttle.succeeded(asked)
  if (checked.isOutdated) await renew(member, claim.password, deps)
  return { type: 'signed-in', member }
}

/** Checks a password within the limits of how often that may be tried. The try stays counted until it is called right. */
export async function checkPassword(
  password: string,
  { asked, kept, visits }: { readonly asked: Try; readonly kept: string | undefined; readonly visits: Visits },
): Promise<{ isRight: boolean; isOutdated: boolean } | Refusal> {
  const waitMs = visits.throttle.begin(asked)
  if (waitMs !== undefined) return tooMany('wrong passwords', waitMs)
  const checked = await visits.passwords.verify(password, kept)
  if (isRefusal(checked)) visits.throttle.takeBack(asked)
  return checked
}

/** Nothing of what was tried was looked at. */
export function tooMany(what: string, waitMs: number): Refusal {
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  return refuse('rate_limited', `Too many ${what}. Try again in ${retryAfterSeconds} s.`, { retryAfterSeconds })
}

async function renew(member: Member, password: string, deps: SignInDeps): Promise<void> {
  const passwordHash = await deps.visits.passwords.hash(password)
  // Too many sign in at once: the old hash is good until the next time.
  if (!isRefusal(passwordHash)) await deps.keepHash(member, passwordHash)
}
