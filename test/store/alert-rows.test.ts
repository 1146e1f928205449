// Alerts and their deliveries on disk.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Alert } from '#core/alerts.ts'
import type { Delivery, DeliveryState, Receiver } from '#core/delivery.ts'
import { microCredits } from '#core/money.ts'
import { loadAlerts, raiseAlerts, writeAlerts } from '#store/alert-rows.ts'
import { openForWriting, type Db } from '#store/database.ts'

let folder = ''
let db: Db

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-alerts-'))
  db = openForWriting(folder)
})

afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true })
})

function receiver(id: string, changes: Partial<Receiver> = {}): Receiver {
  const webhook = { id, name: id, url: 'https://alerts.example.com/', network: 'public', createdAtMs: 1 } as const
  return { ...webhook, mail: undefined, ...changes }
}

function raised(index: number, state: DeliveryState) {
  const amounts = { totalMicro: microCredits(100), usedMicro: microCredits(80), threshold: 80 }
  const place = { scope: 'key', subjectId: `k${index}`, name: 'laptop', cycleStartedAtMs: 0, nextResetAtMs: undefined }
  const alert: Alert = { id: `a${index}`, ...place, ...amounts, atMs: index }
  const sent = { attempts: 0, atMs: index, status: undefined, problem: undefined }
  const delivery: Delivery = { id: `msg_${index}`, receiverId: 'w', body: '{}', createdAtMs: index, state, ...sent }
  return { alert, deliveries: [delivery] }
}

it('knows webhooks and mailboxes again', () => {
  const mail = { from: 'a@example.com', to: 'b@example.com', user: 'farebox', isPlain: false }
  const receivers = [receiver('w'), receiver('m', { url: 'smtps://mail.example.com:465', createdAtMs: 2, mail })]
  for (const each of receivers) writeAlerts(db, { type: 'receiver', receiver: each })
  expect(loadAlerts(db).receivers).toEqual(receivers)
})

it('keeps twenty messages that have ended, also where they were given up at once, and all that wait', () => {
  writeAlerts(db, { type: 'receiver', receiver: receiver('w') })
  raiseAlerts(db, [raised(0, 'waiting')])
  for (let index = 1; index <= 60; index += 1) raiseAlerts(db, [raised(index, 'given-up')])
  const kept = loadAlerts(db).deliveries
  expect(kept.filter(({ state }) => state === 'waiting').map(({ id }) => id)).toEqual(['msg_0'])
  expect(kept.filter(({ state }) => state === 'given-up')).toHaveLength(20)
})
