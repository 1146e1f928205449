/**
 * An id for one dialog's change of a balance: sent again with the same id, it changes nothing. Not `crypto.randomUUID`, which
 * browsers keep from pages that come over plain HTTP from another machine.
 */
export function newActionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
