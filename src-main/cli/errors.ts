// The two ways a command ends badly that are not the admin API's answer. Neither message may hold a secret or repeat an
// argument's value: a value typed in the wrong place may be a secret.

/** The command line itself is wrong: exit code 2. `usage` is the nearest valid form, without the word `farebox`. */
export class UsageError extends Error {
  readonly usage: string | undefined

  constructor(message: string, usage?: string) {
    super(message)
    this.name = 'UsageError'
    this.usage = usage
  }
}

/** The command was understood and could not be carried out: exit code 1. `details` go into the `--json` error. */
export class CommandFailure extends Error {
  readonly errorType: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(errorType: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.name = 'CommandFailure'
    this.errorType = errorType
    this.details = details
  }
}

/** The short name of a system error, such as ENOENT, for a message that must not repeat the error's own text. */
export function errorCode(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code
  }
  return error instanceof Error ? error.name : 'unknown error'
}
