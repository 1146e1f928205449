import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { MAX_TAGS, tagsOfText, tagsText } from '#core/attribution.ts'
import type { Key } from '#core/entities.ts'
import { Attributions, MAX_PARTIES } from '#pipeline/attributions.ts'

const DAY = 86_400_000
const KEY = { id: 'k' } as Key

let nowMs = 5 * DAY
let attributions: Attributions
let limited: Set<string>

beforeEach(() => {
  nowMs = 5 * DAY
  limited = new Set()
  attributions = new Attributions({
    nowMs: () => nowMs,
    hash: (text) => `${text.length}`,
    isProject: (name) => limited.has(name),
  })
})

describe('the tool of a call', () => {
  it.each([
    [{ 'user-agent': 'claude-cli/2.1.329 (external, cli)', 'x-claude-code-session-id': 's' }, 'claude-code'],
    // Another tool sends the same user agent, and numbers no sessions.
    [{ 'user-agent': 'claude-cli/0.24.4 (external, cli)' }, 'claude-cli'],
    [{ 'user-agent': 'codex_cli_rs/0.169.0 (Linux)' }, 'codex'],
    [{ 'user-agent': 'opencode/1.0' }, 'opencode'],
    [{ 'user-agent': 'OpenAI/Python 1.2.3' }, 'openai'],
    [{ 'user-agent': 'constructor/1' }, 'constructor'],
    [{ 'user-agent': '"><script>' }, undefined],
    [{ 'user-agent': '' }, undefined],
    [{}, undefined],
  ])('is what its client calls itself: %j is %s', (headers, tool) => {
    expect(attributions.of(headers, KEY).tool).toBe(tool)
  })

  it('is that of the key where the key was made for one', () => {
    expect(attributions.of({ 'user-agent': 'curl/8' }, { ...KEY, tool: 'zed' }).tool).toBe('zed')
  })
})

describe('the session of a call', () => {
  it.each([
    [{ 'x-claude-code-session-id': 'a-1' }, 'a-1'],
    [{ 'session-id': 'b-1' }, 'b-1'],
    [{ session_id: 'c-1' }, 'c-1'],
    [{ 'x-opencode-session': 'd-1' }, 'd-1'],
    [{ 'x-session-id': 'e-1', 'x-claude-code-session-id': '' }, 'e-1'],
    [{ 'session-id': ['one', 'two'] }, undefined],
    [{ 'session-id': 'x'.repeat(65) }, 'hash:65'],
    [{ 'session-id': 'what I told nobody' }, 'hash:18'],
    [{ 'session-id': 'x'.repeat(2000) }, undefined],
  ])('is the id that its tool sends, or a hash: %j', (headers, session) => {
    expect(attributions.of(headers, KEY).session).toBe(session)
  })
})

describe('the project and tags of a call', () => {
  it('are those that its client names, in small letters', () => {
    const named = attributions.of({ 'x-farebox-project': ' Web/Site ', 'x-farebox-tags': 'Night, night,ci,' }, KEY)
    expect(named).toMatchObject({ project: 'web/site', tags: ['ci', 'night'] })
  })

  it('are first those of its key, whose project nobody else names', () => {
    const key = { ...KEY, project: 'books', tags: ['z'] }
    const named = attributions.of({ 'x-farebox-project': 'mine', 'x-farebox-tags': 'a,b,c,d,e' }, key)
    expect(named).toMatchObject({ project: 'books', tags: ['a', 'b', 'c', 'd', 'z'] })
  })

  it('follow the key when it is changed', () => {
    expect(attributions.of({}, { ...KEY, project: 'one' }).project).toBe('one')
    expect(attributions.of({}, { ...KEY, project: 'two' }).project).toBe('two')
  })

  it('are told apart up to a bound of each key and day; what comes beyond is other', () => {
    const projectAt = (place: number, key = KEY) =>
      attributions.of({ 'user-agent': 'curl/8', 'x-farebox-project': `p${place}`, 'x-farebox-tags': 't' }, key)
    for (let place = 0; place < MAX_PARTIES; place++) expect(projectAt(place).project).toBe(`p${place}`)
    expect(projectAt(MAX_PARTIES)).toEqual({ tool: 'other', project: 'other', tags: [], session: undefined })
    expect(projectAt(3).project).toBe('p3')
    limited.add('own')
    expect(attributions.of({ 'x-farebox-tags': 'more' }, { ...KEY, project: 'own' }).project).toBe('own')
    expect(projectAt(MAX_PARTIES, { ...KEY, id: 'another' }).project).toBe(`p${MAX_PARTIES}`)
    nowMs += DAY
    expect(projectAt(MAX_PARTIES).project).toBe(`p${MAX_PARTIES}`)
  })

  it('are those of the key alone where the project has limits, from when they are set until they are lifted', () => {
    const named = (key = KEY) => attributions.of({ 'x-farebox-project': 'Web', 'x-farebox-tags': 't' }, key)
    const own = { ...KEY, id: 'own', project: 'web' }
    const elsewhere = { ...KEY, id: 'elsewhere', project: 'books' }
    const projects = () => [named(), named(own), named(elsewhere)].map(({ project }) => project)
    expect(projects()).toEqual(['web', 'web', 'books'])
    limited.add('web').add('books')
    expect(projects()).toEqual(['other', 'web', 'books'])
    expect(projects()).toEqual(['other', 'web', 'books'])
    expect(named().tags).toEqual(['t'])
    limited.clear()
    expect(projects()).toEqual(['web', 'web', 'books'])
  })

  it('follow the key also where they were other before, so that its limits hold', () => {
    const named = (place: number, key = KEY) => attributions.of({ 'x-farebox-project': `p${place}` }, key).project
    for (let place = 0; place <= MAX_PARTIES; place++) named(place)
    expect(named(MAX_PARTIES)).toBe('other')
    limited.add(`p${MAX_PARTIES}`)
    expect(named(MAX_PARTIES)).toBe('other')
    expect(named(0, { ...KEY, project: `p${MAX_PARTIES}` })).toBe(`p${MAX_PARTIES}`)
  })

  it('are few and plain whatever a client writes there', () => {
    const anything = fc.option(fc.string({ maxLength: 200 }), { nil: undefined })
    const headers = fc.record({ 'user-agent': anything, 'x-farebox-project': anything, 'x-farebox-tags': anything })
    const told = new Set<string>()
    fc.assert(
      fc.property(headers, (written) => {
        const { tool, project, tags } = attributions.of(written, KEY)
        told.add(JSON.stringify([tool, project, tags]))
        for (const name of [tool ?? 'x', project ?? 'x', ...tags])
          expect(name).toMatch(/^[a-z0-9][a-z0-9._/:@+-]{0,63}$/)
        expect(tags.length).toBeLessThanOrEqual(MAX_TAGS)
        expect(tagsOfText(tagsText(tags))).toEqual(tags)
      }),
      { numRuns: 2000 },
    )
    // Beside those that are told apart: with or without a tool and a project.
    expect(told.size).toBeLessThanOrEqual(MAX_PARTIES + 4)
  })
})
