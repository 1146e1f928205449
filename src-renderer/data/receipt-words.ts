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

const REFUSALS = [
  'invalid_request',
  'unauthenticated',
  'credits_exhausted',
  'credits_held',
  'package_expired',
  'model_unpriced',
  'key_not_usable',
  'forbidden',
  'not_found',
  'model_not_found',
  'request_too_large',
  'rate_limited',
  'overloaded',
  'disk_full',
] as const

export function refusalWord(code: string): (typeof REFUSALS)[number] | undefined {
  return REFUSALS.find((one) => one === code)
}
