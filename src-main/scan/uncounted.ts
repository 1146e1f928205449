// Tools that keep no counts of their calls where a scan could find them: their use here is said, so that nobody takes it for nothing.

import { existsSync } from 'node:fs'
import { placeOf, type Home } from '#scan/places.ts'

const UNCOUNTED: readonly { readonly tool: string; readonly traces: readonly (readonly string[])[] }[] = [
  // Beside the conversation, in each project's own folder, it has rounded numbers for people.
  { tool: 'aider', traces: [['~/.aider'], ['~/.aider.conf.yml']] },
  // Of a session it keeps what the last call used.
  { tool: 'crush', traces: [['$XDG_DATA_HOME/crush', '~/.local/share/crush'], ['$LOCALAPPDATA/crush']] },
]

/** Those that left something in this home folder. */
export function uncountedIn(home: Home): string[] {
  const isThere = (places: readonly string[]) => {
    const place = placeOf(places, home)
    return place !== undefined && existsSync(place)
  }
  return UNCOUNTED.filter(({ traces }) => traces.some(isThere)).map(({ tool }) => tool)
}
