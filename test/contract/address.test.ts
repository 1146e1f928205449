import { describe, expect, it } from 'vitest'
import { ADMIN_ENTITIES, ADMIN_ROUTES, ADMIN_STREAMS, type Route } from '#contract/admin-routes.ts'
import { addressOf } from '#contract/admin-address.ts'

describe('the table of actions', () => {
  const rows = [...Object.values(ADMIN_ENTITIES), ADMIN_STREAMS].flatMap((actions) => Object.entries<Route>(actions))

  it('has each action once, and each place once', () => {
    expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length)
    expect(new Set(rows.map(([, { method, path }]) => `${method} ${path}`)).size).toBe(rows.length)
    expect(Object.keys({ ...ADMIN_ROUTES, ...ADMIN_STREAMS })).toHaveLength(rows.length)
  })

  it('reads a row as it is written', () => {
    expect(ADMIN_ROUTES.topUpKey).toMatchObject({ method: 'POST', path: '/api/keys/{id}/top-up', group: 'Keys' })
    expect(ADMIN_ROUTES.topUpKey).toMatchObject({ access: 'administrator', lan: 'administration', body: 'KeyTopUp' })
    expect(ADMIN_ROUTES.discover).toMatchObject({ access: 'administrator', lan: 'never' })
    expect(ADMIN_ROUTES.revokeKey).toMatchObject({ access: 'holder', lan: 'members' })
  })
})

describe('the address of a call', () => {
  it('takes the id as one segment, and of the query what is there', () => {
    expect(addressOf('/api/models/{id}/price', 'a/b?$&é', undefined)).toBe('/api/models/a%2Fb%3F%24%26%C3%A9/price')
    const query = { key: 'my key', before: undefined, until: null, limit: 2 }
    expect(addressOf('/api/usage', undefined, query)).toBe('/api/usage?key=my+key&limit=2')
    expect(addressOf('/api/usage', undefined, {})).toBe('/api/usage')
  })

  it('is none for an id of dots alone, which would lead to another action', () => {
    expect(addressOf('/api/keys/{id}', '.')).toBeUndefined()
    expect(addressOf('/api/keys/{id}', '..')).toBeUndefined()
    expect(addressOf('/api/keys/{id}', '...')).toBe('/api/keys/...')
  })

  it('needs an id where its path has one', () => {
    expect(() => addressOf('/api/keys/{id}', undefined)).toThrow('/api/keys/{id} needs an id')
    expect(() => addressOf('/api/keys/{id}', '')).toThrow('/api/keys/{id} needs an id')
  })
})
