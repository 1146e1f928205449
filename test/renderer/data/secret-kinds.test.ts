import { expect, it } from 'vitest'
import { readTokenSecret } from '#core/token-secrets.ts'
import { ENTRA_PARTS, entraSecret, NO_PARTS, secretKindsOf } from '#renderer/data/secret-kinds.ts'

const PARTS = { tenant_id: ' our.example ', client_id: 'client', client_secret: 'with "quotes" and \\ ' }

it('makes of the parts of an application the one text that is kept', () => {
  expect(readTokenSecret(entraSecret(PARTS))).toMatchObject({
    type: 'entra_client',
    clientId: 'client',
    clientSecret: 'with "quotes" and \\',
    tokenUrl: 'https://login.microsoftonline.com/our.example/oauth2/v2.0/token',
  })
})

it.each(ENTRA_PARTS)('makes nothing while a part is missing: %s', (name) => {
  expect(entraSecret(NO_PARTS)).toBe('')
  expect(entraSecret({ ...PARTS, [name]: ' ' })).toBe('')
})

it('has one text for all presets that say nothing else', () => {
  expect(secretKindsOf({})).toEqual(['text'])
  expect(secretKindsOf({ secret_kinds: ['service_account', 'text'] })).toEqual(['service_account', 'text'])
})
