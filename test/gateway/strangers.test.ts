// Odd things in every member of a request to every endpoint: each is answered in the shape of its format, nothing is held
// afterwards, and only what was answered costs anything.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Farebox } from '../support/farebox.ts'
import { expectSoundBooks } from './fault-support.ts'
import { post, soon } from './support.ts'
import { startStrangerHouse, STRANGER_ROUTES, type House, type StrangerRoute } from './stranger-routes.ts'
import { isLong } from '../support/cases.ts'

/** Of all that could be asked one in so many is, others at each endpoint, unless all tests run. */
const ONE_OF = 100
const AT_ONCE = 4
const MAX_MS = 300_000
/** How deep in a request members are replaced. */
const MAX_DEPTH = 7

const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  2 ** 53 + 2,
  '',
  'x',
  '\ud800',
  'a\u0000b',
  '__proto__',
  [],
  {},
  [null],
  [[]],
  { a: 1 },
]

let house: House
let farebox: Farebox
let key = ''

beforeAll(async () => {
  house = await startStrangerHouse()
  farebox = house.farebox
  key = await farebox.newKey('plenty')
})

afterAll(() => house.close())

type Place = readonly (string | number)[]

/** Where there is a value, from the outermost members inwards. */
function* placesIn(value: unknown, at: Place = []): Generator<Place> {
  if (at.length > 0) yield at
  if (at.length >= MAX_DEPTH || typeof value !== 'object' || value === null) return
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  for (const [name, inner] of entries) yield* placesIn(inner, [...at, name])
}

/** The value with another one in a place. */
function withOdd(value: unknown, [name, ...rest]: Place, odd: unknown): unknown {
  if (name === undefined) return odd
  if (Array.isArray(value)) return value.map((item, index) => (index === name ? withOdd(item, rest, odd) : item))
  const record = value as Readonly<Record<string, unknown>>
  return { ...record, [name]: withOdd(record[name], rest, odd) }
}

type Odd = { readonly what: string; readonly text: string }

function requestsAt({ body }: StrangerRoute, number: number): readonly Odd[] {
  const all = [...placesIn(body)].flatMap((place) => ODD.map((odd) => [place, odd] as const))
  const some = isLong ? all : all.filter((_, index) => index % ONE_OF === number % ONE_OF)
  return some.map(([place, odd]) => ({
    what: `${place.join('.')} = ${JSON.stringify(odd)}`,
    text: JSON.stringify(withOdd(body, place, odd)),
  }))
}

/** What was wrong with the answer; undefined where nothing was. */
async function problemOf(route: StrangerRoute, { what, text }: Odd): Promise<string | undefined> {
  const response = await post(farebox, text, { key, path: route.path })
  const answer = await response.text()
  const says = `${what}: ${response.status} ${answer.slice(0, 300)}`
  if (response.status === 200) return undefined
  return [400, 404, 413].includes(response.status) && isError(route, response.status, answer) ? undefined : says
}

function isError({ errors }: StrangerRoute, status: number, text: string): boolean {
  try {
    const read = JSON.parse(text) as unknown
    const json = (Array.isArray(read) ? read[0] : read) as { type?: unknown; error: Record<string, unknown> }
    const { message, code, status: name } = json.error
    if (typeof message !== 'string' || message === '' || code !== status) return false
    return errors === 'gemini' ? typeof name === 'string' : errors === 'chat' || json.type === 'error'
  } catch {
    return false
  }
}

it.each(STRANGER_ROUTES.map((route, number) => [route.name, route, number] as const))(
  '%s answers whatever stands in its members',
  async (_name, route, number) => {
    const plain = await post(farebox, route.body, { key, path: route.path })
    expect(`${plain.status} ${await plain.text()}`).toMatch(/^200 /)
    const left = requestsAt(route, number).values()
    const problems: string[] = []
    const work = async () => {
      for (const odd of left) {
        const problem = await problemOf(route, odd)
        if (problem !== undefined) problems.push(problem)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    expect(problems).toEqual([])
  },
  MAX_MS,
)

it(
  'leaves nothing held, charges nobody for what was not answered, and makes no mistakes',
  async () => {
    await soon(async () => (await farebox.admin.call('status', {})).open_exchanges === 0)
    expect(await farebox.balance(key)).toMatchObject({ held_credits: 0 })
    expect(farebox.log).toEqual([])
    await expectSoundBooks(house)
  },
  MAX_MS,
)
