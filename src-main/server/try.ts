// Reads the body of a test request. The schema is loaded when somebody first sends one.

import type { TryBody } from '#contract/reports.ts'
import { refuse, type Refusal } from '#core/refusal.ts'

export async function readTry(body: unknown): Promise<TryBody | Refusal> {
  const [{ TryBody: schema }, { check, firstProblem }] = await Promise.all([
    import('#contract/reports.ts'),
    import('#contract/validate.ts'),
  ])
  const checked = check(schema, parsed(body))
  if (checked.type !== 'invalid') return checked.value
  const { message, param } = firstProblem(checked.problems)
  return refuse('invalid_request', message, param === '' ? {} : { param })
}

/** undefined for what is not JSON, which the schema refuses. */
function parsed(body: unknown): unknown {
  if (!Buffer.isBuffer(body)) return undefined
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    // The schema says it in its own words.
    return undefined
  }
}
