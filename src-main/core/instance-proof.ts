// How a gateway proves to the command line that it is the one whose note lies in the data folder: the note of a gateway that was killed stays
// there, and whoever listens at its address since would be handed its token, and the secrets that an administrator sets.

export const CHALLENGE_HEADER = 'x-farebox-challenge'
export const PROOF_HEADER = 'x-farebox-proof'

/** 32 random bytes, in hexadecimal digits. */
export const CHALLENGE = /^[0-9a-f]{64}$/

/** What is signed with the token of the note (HMAC-SHA-256, in hexadecimal digits). It is of no use for anything else. */
export function provedText(challenge: string): string {
  return `farebox gateway ${challenge}`
}
