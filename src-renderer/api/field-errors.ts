// Where the words of a refusal belong in a form: at the field that it names, or else at the form.

import { ApiError } from '#renderer/api/client.ts'

/** The refusal's words where it is about `field`. */
export function errorAt(error: Error | null, field: string): string | undefined {
  return error !== null && fieldOf(error) === field ? error.message : undefined
}

/** The words of an error that is about none of the form's fields. */
export function errorBeside(error: Error | null, fields: readonly string[]): string | undefined {
  if (error === null) return undefined
  const field = fieldOf(error)
  return field !== undefined && fields.includes(field) ? undefined : error.message
}

/** `limits.requests_per_minute` belongs to the last name of the path, `packages.3` to `packages`. */
function fieldOf(error: Error): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.param?.split('.').findLast((part) => !/^\d+$/.test(part))
}

/** Whether nobody can say if what was asked for was done: no answer came, or one of a server that failed. */
export function isUncertain(error: Error | null): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500)
}
