// What calls of tools may cost on a day before somebody is told, as a setting says it: `claude-code=5,codex=2.5`.

import type { Kind } from '#config/setting-kinds.ts'

const MAX_TOOLS = 50
const ONE = /^\s*([a-z0-9][a-z0-9._/:@+-]{0,63})\s*=\s*([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*$/i

/** Credits by the name of the tool, in small letters as tools are counted; undefined for a text that says something else. */
export function readToolCredits(text: string): ReadonlyMap<string, number> | undefined {
  const found = new Map<string, number>()
  for (const part of text.split(',')) {
    const [, name = '', credits = ''] = ONE.exec(part) ?? []
    const tool = name.toLowerCase()
    if (tool === '' || found.has(tool) || !(Number(credits) > 0)) return undefined
    found.set(tool, Number(credits))
  }
  return found.size <= MAX_TOOLS ? found : undefined
}

export const toolCredits: Kind<string> = {
  expects: 'names of tools with credits, such as claude-code=5,codex=2.5',
  read: (text) => (readToolCredits(text) === undefined ? undefined : text),
}
