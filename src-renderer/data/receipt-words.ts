// The words of attempts that the catalogues have; a newer Farebox may have others, which are shown as they are.

const OUTCOMES = [
  'complete',
  'refused',
  'failed',
  'client-gone',
  'drained',
  'stopped',
  'out-of-credits',
  'fault',
] as const
const REASONS = [
  'connect',
  'address',
  'timeout',
  'closed',
  'malformed',
  'too_large',
  'secret',
  'status',
  'reported',
] as const

export function attemptWord(outcome: string): (typeof OUTCOMES)[number] | undefined {
  return OUTCOMES.find((one) => one === outcome)
}

export function reasonWord(reason: string | null | undefined): (typeof REASONS)[number] | undefined {
  return REASONS.find((one) => one === reason)
}
