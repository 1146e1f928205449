import type { Target } from '#core/entities.ts'

/** Each call asks for it several times, of a few targets that stay the same objects until they are changed. */
const known = new WeakMap<Target, string>()

/** What tells a target from all others, whichever model has it. */
export function targetKey(target: Target): string {
  let key = known.get(target)
  if (key === undefined) {
    key = `${target.providerId}\0${target.upstreamModel}`
    known.set(target, key)
  }
  return key
}
