// Reads the body of a test request. The schema is loaded when somebody first sends one.

import type { TryBody } from '#contract/reports.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { ReadText } from '#dialect/request-body.ts'
import type { LargeBodies } from '#server/bodies/large-bodies.ts'

export type ReadTry = {
  readonly asked: Omit<TryBody, 'request'>
  /** The request as it was sent, and what it says. */
  readonly text: ReadText
  readonly byteLength: number
}

export async function readTry(body: unknown, largeBodies: LargeBodies): Promise<ReadTry | Refusal> {
  const [{ TryBody: schema }, { check, firstProblem }] = await Promise.all([
    import('#contract/reports.ts'),
    import('#contract/validate.ts'),
  ])
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  const nested = await largeBodies.nested(bytes, 'request')
  if (isRefusal(nested)) return nested
  // What is not JSON the schema refuses in its own words.
  const checked = check(schema, nested.value)
  if (checked.type === 'valid' && nested.inner !== undefined) {
    return { asked: checked.value, text: nested.inner, byteLength: nested.byteLength }
  }
  const { message, param } = firstProblem(checked.type === 'valid' ? [] : checked.problems)
  return refuse('invalid_request', message, param === '' ? {} : { param })
}
