import { describe, expect, it } from 'vitest'
import { abandonedDrafts, backupName, dueAtMs, scheduledBackups, surplus } from '#core/retention.ts'

const at = (text: string) => Date.parse(text)
const names = (...times: string[]) => times.map((time) => backupName(at(time)))
const DAY_MS = 86_400_000

describe('the names of scheduled backups', () => {
  it('say when they were made', () => {
    const name = backupName(at('2026-11-21T15:49:07.999Z'))
    expect(name).toBe('farebox-20261121T154907Z.db')
    expect(scheduledBackups([name])).toEqual([{ name, madeAtMs: at('2026-11-21T15:49:07Z') }])
  })

  it.each([
    'farebox.db',
    'monday.db',
    'farebox-20261121T154907Z.db.new',
    'farebox-20261121T154907Z.db-wal',
    'my-farebox-20261121T154907Z.db',
    'farebox-20261321T154907Z.db',
    'farebox-20261121T994907Z.db',
    '../farebox-20261121T154907Z.db',
  ])('are no others, such as %s', (name) => {
    expect(scheduledBackups([name])).toEqual([])
  })

  it('tell a draft that broke off from what is not ours', () => {
    const [name = ''] = names('2026-11-21T00:00:00Z')
    expect(abandonedDrafts([`${name}.new`, name, 'monday.db.new'])).toEqual([`${name}.new`])
  })
})

describe('the next backup', () => {
  const now = at('2026-11-21T12:00:00Z')
  const due = (...times: string[]) => dueAtMs(scheduledBackups(names(...times)), DAY_MS, now)

  it('is due now where there is none', () => expect(due()).toBe(now))
  it('is due a period after the newest', () => {
    expect(due('2026-11-19T12:00:00Z', '2026-11-21T06:00:00Z')).toBe(at('2026-11-22T06:00:00Z'))
  })
  it('was due long ago after a long sleep', () => {
    expect(due('2026-11-01T06:00:00Z')).toBe(at('2026-11-02T06:00:00Z'))
  })
  it('does not wait for a time that a clock set back has left in the future', () => {
    expect(due('2027-06-01T00:00:00Z')).toBe(now)
    expect(due('2027-06-01T00:00:00Z', '2026-11-21T11:00:00Z')).toBe(at('2026-11-22T11:00:00Z'))
  })
})

describe('what may go', () => {
  const present = names('2026-11-18T00:00:00Z', '2026-11-19T00:00:00Z', '2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z')
  const [oldest = '', second = '', third = '', newest = ''] = present

  it('is what is beyond the newest', () => {
    expect(surplus(scheduledBackups(present), 2, newest)).toEqual([second, oldest])
    expect(surplus(scheduledBackups(present), 1, newest)).toEqual([third, second, oldest])
    expect(surplus(scheduledBackups(present), 4, newest)).toEqual([])
  })
  it('is never the one that was just made, also where others have later names', () => {
    expect(surplus(scheduledBackups(present), 1, oldest)).not.toContain(oldest)
    expect(surplus(scheduledBackups(present), 2, oldest)).toEqual([third, second])
  })
})
