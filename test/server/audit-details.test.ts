// What the audit log keeps of a field that people paste secrets into.

import { expect, it } from 'vitest'
import { detailsOf } from '#server/admin/audit-details.ts'

const detailsOfName = (name: string) => detailsOf({ kept: ['name'] }, { name })

it.each([
  'sk-ant-api03-abcdefghijklmnop',
  'AIzaSyA1234567890abcdefghij',
  'ghp_abcdefghijklmnopqrstuvwxyz012345',
  'gsk_abcdefghijklmnop1234',
  'xai-abcdefghijklmnop1234',
  'whsec_abcdefghijklmnop1234',
  `key_${'a1'.repeat(19)}`,
])('leaves out %s', (secret) => {
  expect(detailsOfName(`my ${secret}`)).toBe('{"name":"left out"}')
})

it.each(['laptop', 'task-force', 'monkey_business', 'hf_models'])('keeps %s', (name) => {
  expect(detailsOfName(name)).toBe(JSON.stringify({ name }))
})
