// Settings that are changed while Farebox runs, on all gateways that share their books. What the environment of a gateway says is fixed there, as it is alone.

import type { Parts } from '#app/parts.ts'
import { takeTurns } from '#catalog/turns.ts'
import type { LiveSettings } from '#config/live-settings.ts'
import type { Log } from '#core/log.ts'
import type { SettingChange } from '#core/setting.ts'
import type { Note } from '#fleet/shared-notes.ts'
import type { DatabaseThread } from '#store/database-thread.ts'
import type { WriterOperations } from '#threads/writer-operations.ts'

type SettingsFrom = {
  readonly live: LiveSettings
  readonly parts: Parts
  readonly log: Log
  readonly writer: DatabaseThread<WriterOperations>
}

/** Of whoever looks at the screen of this machine. */
const OF_ONE_MACHINE = ['language', 'theme']
const KIND = 'setting'

export type SettingChanges = {
  /** Makes a change that is possible, on this gateway and on the others. Throws FleetRefused where they cannot be told. */
  make(change: SettingChange): Promise<void>
}

export function settingChanges({ live, parts, log, writer }: SettingsFrom): SettingChanges {
  const { calling, alerting } = parts
  const fleet = calling.leases
  const inTurn = takeTurns()
  const heard = new Map<string, string | undefined>()
  const here = async (change: SettingChange) => {
    await writer.call('changeSetting', change)
    live.apply(change)
    // Connections keep the time limits with which they were opened; the next call opens others.
    if (change.name.startsWith('upstream_')) calling.connections.retain([])
    if (change.name === 'tool_credits_per_day') alerting.alerts.lookAtAll()
  }
  const take = async (notes: readonly Note[]) => {
    for (const { id: name, body } of notes) {
      const change = { name, text: textIn(body) }
      const isHere = heard.has(name) && heard.get(name) === change.text
      if (isHere || OF_ONE_MACHINE.includes(name) || live.problemOf(change) !== undefined) continue
      await here(change)
      heard.set(name, change.text)
    }
  }
  let failure: unknown
  fleet?.notes.listen(KIND, (notes) => {
    inTurn(() => take(notes)).catch((error: unknown) => {
      failure = error
      const line = 'A setting that another gateway changed could not be written down here.'
      log(line, { event: 'setting_not_kept', level: 'error' })
    })
  })
  return {
    async make(change) {
      if (fleet === undefined || OF_ONE_MACHINE.includes(change.name)) return here(change)
      failure = undefined
      // In the order of all gateways, of two at once the later one everywhere.
      await fleet.notes.put({ kind: KIND, id: change.name, body: { text: change.text ?? null }, isOnce: false })
      await inTurn(async () => {})
      if (failure !== undefined) throw failure
    },
  }
}

function textIn(body: unknown): string | undefined {
  const text = typeof body === 'object' && body !== null && 'text' in body ? body.text : undefined
  return typeof text === 'string' ? text : undefined
}
