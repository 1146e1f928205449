// farebox secret …

import { printable, view } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'

const move = verb({
  name: 'secret move',
  usage: '',
  summary: 'brings secrets from the keychain to the vault or back, to where FAREBOX_SECRETS says',
  flags: {},
  async run(client) {
    const result = await client.call('moveSecrets', {})
    const named = (names: readonly string[]) => names.map(printable).join(', ')
    const moved = result.moved.length === 0 ? 'There was no secret to move.' : `Moved: ${named(result.moved)}.`
    const missing = result.missing.length === 0 ? '' : ` In neither place: ${named(result.missing)}.`
    return view(result, moved + missing)
  },
})

export const SECRET_VERBS = [move]
