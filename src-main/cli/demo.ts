// farebox demo: a provider that calls nobody, with its models, a package and a first key.

import { printable, view } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'

const demo = verb({
  name: 'demo',
  usage: '',
  summary: 'sets up the built-in demo where it is missing, and a first key if there is none',
  flags: {},
  async run(client) {
    const { made, key } = await client.call('addDemo', {})
    const names = made.map(({ kind, name }) => `${kind} ${printable(name)}`)
    const text = names.length === 0 ? 'The demo is set up already.' : `Made: ${names.join(', ')}.`
    if (key === null) return view({ made, key }, text)
    const lines = [text, `Your first key, shown only once:`, '', `  ${printable(key.key)}`]
    return view({ made, key }, lines.join('\n'))
  },
})

export const DEMO_VERBS = [demo]
