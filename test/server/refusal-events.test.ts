import { expect, it } from 'vitest'
import type { LogNote } from '#core/log.ts'
import type { UsageRecord } from '#ledger/rows.ts'
import { tellRefusals } from '#server/watch/refusal-events.ts'

function told(attempts: string | undefined): readonly (readonly [string, LogNote | undefined])[] {
  const lines: (readonly [string, LogNote | undefined])[] = []
  const record = { id: 'call', attempts } as UsageRecord
  tellRefusals([record], (line, note) => void lines.push([line, note]))
  return lines
}

const NOTE = { provider: 'local', model: 'llama', outcome: 'refused', reason: null, status: 500, duration_ms: 1 }

it('a request that a provider refused in known words is an event', () => {
  const words = 'image input is not supported'
  const fields = { request_id: 'call', provider: 'local', upstream_model: 'llama', status: 500, words }
  expect(told(JSON.stringify([NOTE, { ...NOTE, words }]))).toEqual([
    [`The provider 'local' refused a request: ${words}`, { event: 'request_refused', fields }],
  ])
})

it.each([undefined, '[]', JSON.stringify([NOTE])])('nothing is told of a call whose attempts are %s', (attempts) => {
  expect(told(attempts)).toEqual([])
})
