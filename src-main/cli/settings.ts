// farebox settings: what the gateway runs with, and where each value comes from.

import type { Flag } from '#cli/flags.ts'
import { facts, printable, tableOf, view, type Columns } from '#cli/output.ts'
import { plainVerb } from '#cli/plain-verbs.ts'
import { verb } from '#cli/verb.ts'
import type { SettingsView } from '#contract/audit.ts'

const COLUMNS: Columns<SettingsView['settings'][number]> = {
  NAME: (setting) => setting.name,
  VALUE: (setting) => setting.value,
  FROM: (setting) => setting.source,
  VARIABLE: (setting) => setting.environment,
  FLAG: (setting) => setting.flag,
}

const valueOrDefault: Flag<string | null> = {
  type: 'string',
  read: ([only = '']) => (only === 'default' ? null : only),
}

const settings = verb({
  name: 'settings',
  usage: '',
  summary: 'shows the settings with their values and where these come from',
  flags: {},
  async run(client) {
    const answer = await client.call('showSettings', {})
    return view(answer, `${tableOf(COLUMNS, answer.settings, 'There are no settings.')}\n\n${machine(answer)}`)
  },
})

const set = plainVerb({
  name: 'settings set',
  usage: '--value VALUE|default',
  summary: 'changes a setting from now on and for later starts',
  operand: 'NAME',
  flags: { value: valueOrDefault },
  action: 'setSetting',
  says: ({ settings: all }, name) => {
    const found = all.find((setting) => setting.name === name)
    return `${printable(name)} is ${printable(found?.value ?? 'not set')} from now on.`
  },
})

export const SETTINGS_VERBS = [settings, set]

function machine(answer: SettingsView): string {
  return facts({
    'time zone': answer.time_zone,
    version: answer.version,
    node: answer.node,
    'data folder': answer.data_dir,
    'database bytes': answer.database_bytes,
  })
}
