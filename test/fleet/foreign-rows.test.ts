// Rows that no gateway wrote, and texts that PostgreSQL does not take: gateways go on, and what others tell is heard.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Connection } from '#fleet/connection.ts'
import { DEAREST, Gateways, HOLD, pay, WAIT, type Gateway } from './gateways.ts'

const EVIL = "'evil'"

let gateways: Gateways
let first: Gateway
let second: Gateway

describe('what somebody else writes into the shared database', () => {
  beforeAll(async () => {
    gateways = await Gateways.begin(2)
    ;[first, second] = gateways.all as [Gateway, Gateway]
    gateways.upstream.script(DEAREST)
  })
  afterAll(() => gateways.close())

  const write = (sql: string) => gateways.postgres.run(sql)

  it('ends no gateway, whatever numbers it has, and keeps nobody from looking', async () => {
    const made = await gateways.newKey(10 * HOLD)
    expect(await pay(second, made)).toBe(200)
    await write(`INSERT INTO farebox.gateway (id, place, program, epoch, shipped, applied, seen_at, free_at, figures, usage_seq)
        VALUES (${EVIL}, 'nowhere', '0', 1, 0, 0, now(), now(), '{"calls": "many", "p50": -1, "p95": {}}', 3);
      INSERT INTO farebox.charged SELECT ${EVIL}, key_id, cycle, 9007199254740993 FROM farebox.account WHERE key_id = '${made.id}'`)
    const used = async () => (await first.admin.call('showKey', { id: made.id })).balance.used_credits
    await expect.poll(used, WAIT).toBeGreaterThan(1e9)
    expect(await first.admin.call('listKeys', {})).toHaveLength(1)
    const { gateways: seen } = await first.admin.call('showFleet', {})
    expect(seen.find(({ id }) => id === 'evil')).toMatchObject({ calls_last_minute: null, first_byte_p50_ms: null })
    await write(`DELETE FROM farebox.charged WHERE gateway = ${EVIL}`)
  })

  it('is left out of reports where it is none, and those of gateways are heard', async () => {
    const made = await gateways.newKey(10 * HOLD)
    await write(`INSERT INTO farebox.usage_hour VALUES (${EVIL}, 0, 'no json', '{}', 1), (${EVIL}, 1, 'null', '{}', 2), (${EVIL}, 2, '[1]', '{}', 3);
      UPDATE farebox.gateway SET usage_seq = 4 WHERE id = ${EVIL}`)
    expect(await pay(second, made)).toBe(200)
    const report = () => first.admin.call('usageReport', { query: { key: made.id } })
    await expect.poll(report, WAIT).toMatchObject({ totals: { requests: 1 } })
  })

  it('is passed over where it is no change of the catalogue', async () => {
    for (const body of [
      '5',
      'null',
      '{}',
      '{"rows": 5, "terms": "none"}',
      '{"rows": [{"type": "of a later program"}]}',
    ])
      await write(`INSERT INTO farebox.change SELECT version + 1, ${EVIL}, now(), '${body}' FROM farebox.state;
        UPDATE farebox.state SET version = version + 1`)
    const follow = () => first.admin.call('addPackage', { body: { name: 'after it', type: 'unlimited' } })
    await expect.poll(() => follow().then(() => 'made', String), WAIT).toBe('made')
    const names = async () => (await second.admin.call('listPackages', {})).map(({ name }) => name)
    await expect.poll(names, WAIT).toContain('after it')
  })

  it('may be half a character or the character 0, which gateways tell in another way', async () => {
    const options = { password: () => undefined, onNotice: () => {}, onLost: () => expect.fail('it was lost') }
    const connection = new Connection({ ...options, url: gateways.postgres.url })
    await connection.open()
    const text = 'half \ud800, whole \u{1f600}, \0, \\u0000 and \\\ud800'
    const values = ['nobody', 1, 'kind', text, JSON.stringify({ text }), 'true']
    expect(await connection.call('put_note', values)).toEqual({ error: 'superseded' })
    await connection.close()
  })
})
