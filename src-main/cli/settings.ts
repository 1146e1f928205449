// farebox settings: what the gateway runs with, and where each value comes from.

import { facts, table, view } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'
import type { SettingsView } from '#contract/audit.ts'

const settings = verb({
  name: 'settings',
  usage: '',
  summary: 'shows the settings with their values and where these come from',
  flags: {},
  async run(client) {
    const answer = await client.call('showSettings', {})
    const headers = ['NAME', 'VALUE', 'FROM', 'VARIABLE', 'FLAG']
    return view(answer, `${table(headers, answer.settings.map(row), 'There are no settings.')}\n\n${machine(answer)}`)
  },
})

export const SETTINGS_VERBS = [settings]

function row({ name, value, source, environment, flag }: SettingsView['settings'][number]) {
  return [name, value, source, environment, flag]
}

function machine(answer: SettingsView): string {
  return facts({
    'time zone': answer.time_zone,
    version: answer.version,
    node: answer.node,
    'data folder': answer.data_dir,
    'database bytes': answer.database_bytes,
  })
}
