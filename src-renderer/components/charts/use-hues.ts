import { useEffect, useMemo } from 'react'
import { withNames, type Hues } from '#renderer/data/hues.ts'

const STORED = 'farebox-hues'
/** Names come and go; more than this many are not worth a place in the browser's storage. */
const MAX_NAMES = 200

/** The hues that this browser has given to names, with `names` added. The same name has the same hue on every page. */
export function useHues(names: readonly string[]): Hues {
  const joined = names.join('\n')
  const hues = useMemo(() => withNames(stored(), joined === '' ? [] : joined.split('\n')), [joined])
  useEffect(() => {
    const recent = Object.entries({ ...stored(), ...hues }).slice(-MAX_NAMES)
    localStorage.setItem(STORED, JSON.stringify(Object.fromEntries(recent)))
  }, [hues])
  return hues
}

function stored(): Hues {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORED) ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // Somebody else wrote there; the next assignment replaces it.
    return {}
  }
}
