// Large bodies are read elsewhere and are the same as if they had been read here; a thread that breaks costs the one body that it had.

import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import { readNested, readText, textOf } from '#dialect/request-body.ts'
import type { BodyWorkerOptions } from '#server/bodies/body-worker.ts'
import { LargeBodies } from '#server/bodies/large-bodies.ts'

const opened: LargeBodies[] = []
afterEach(() => Promise.all(opened.splice(0).map((bodies) => bodies.close())))

function open(options: BodyWorkerOptions = {}): LargeBodies {
  const bodies = new LargeBodies(options)
  opened.push(bodies)
  return bodies
}

/** A thread that does what a script says, in place of ours. */
const thread = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`)
const LONG = 'äx'.repeat(3_000_000)

describe('a large body', () => {
  it.each([
    ['a request', `{"model":"a","messages":[{"role":"user","content":"${LONG}"}],"__proto__":1,"n":1e3}`],
    ['a member that stands twice', `{"a":1,"a":"${LONG}"}`],
    ['no object', `["${LONG}"]`],
    ['no JSON', `{"a":"${LONG}`],
  ])('is read as it would be here: %s', async (_, text) => {
    const read = await open().text(Buffer.from(text))
    if (isRefusal(read) || typeof read === 'string') throw new Error('it was not read elsewhere')
    expect(textOf(read) === text).toBe(true)
    expect(read).toEqual(readText(text))
  })

  it('with another one inside is read as both', async () => {
    const text = `{"key":"a","request":{"model":"m","x":"${LONG}"},"endpoint":"chat"}`
    const read = await open().nested(Buffer.from(text), 'request')
    const here = readNested(text, 'request')
    expect(read).toEqual({ ...here, byteLength: Buffer.byteLength(here.inner?.text ?? '') })
    expect(here.value).toEqual({ key: 'a', request: {}, endpoint: 'chat' })
    expect(here.inner?.value).toMatchObject({ model: 'm' })
  })

  it('that is no UTF-8 is refused, and so is a small one', async () => {
    for (const length of [10, 3_000_000]) {
      expect(await open().text(Buffer.alloc(length, 0xff))).toMatchObject({ code: 'invalid_request' })
      expect(await open().nested(Buffer.alloc(length, 0xff), 'x')).toMatchObject({ code: 'invalid_request' })
    }
  })

  it('waits for its turn, and all are read', async () => {
    const bodies = open()
    const texts = Array.from({ length: 5 }, (_, index) => `{"a":${index},"b":"${LONG}"}`)
    const read = await Promise.all(texts.map(async (text) => bodies.text(Buffer.from(text))))
    expect(read.map((one) => (isRefusal(one) ? one.code : textOf(one).slice(0, 7)))).toEqual(
      texts.map((text) => text.slice(0, 7)),
    )
  })
})

/** Of all threads of this process. */
function nicenesses(): number[] {
  return readdirSync('/proc/self/task').map((id) => {
    const [, fields = ''] = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')
    return Number(fields.split(' ')[16])
  })
}

describe('a thread', () => {
  const body = () => Buffer.alloc(2_000_000, 0x20)

  it('that breaks is replaced; its body is told to come again', async () => {
    const bodies = open({ script: thread('throw new Error()') })
    expect(await Promise.all([bodies.text(body()), bodies.text(body())])).toMatchObject([
      { code: 'overloaded', retryAfterSeconds: 5 },
      { code: 'overloaded', retryAfterSeconds: 5 },
    ])
  })

  it('that hangs is replaced', async () => {
    const bodies = open({ script: thread('for (;;);'), hangMs: 100 })
    expect(await bodies.text(body())).toMatchObject({ code: 'overloaded' })
  })

  it('that was ended for lack of work is started again', async () => {
    const bodies = open({ idleMs: 1 })
    expect(await bodies.text(body())).toMatchObject({ value: undefined })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await bodies.text(body())).toMatchObject({ value: undefined })
  })

  it.runIf(process.platform === 'linux')('lets others have a processor first', async () => {
    await open().text(body())
    expect(nicenesses()).toContain(5)
  })

  it('is not asked any more after its end', async () => {
    const bodies = open()
    await bodies.close()
    expect(await bodies.text(body())).toMatchObject({ code: 'overloaded' })
  })
})
