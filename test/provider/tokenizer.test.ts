import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setEnvironmentData, Worker } from 'node:worker_threads'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { countableOf } from '#dialect/count.ts'
import { Tokenizer, type CountCall, type TokenizerOptions } from '#provider/tokenizer.ts'
import { COUNTING, countingConversation } from '../support/counting.ts'

const BROKEN = new URL('../fixtures/counting/broken-thread.mjs', import.meta.url)
const MEGABYTE = 1024 * 1024

const open: Tokenizer[] = []

function tokenizer(options: TokenizerOptions = {}): Tokenizer {
  const made = new Tokenizer(options)
  open.push(made)
  return made
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((item) => item.close()))
})

/** The process's own report is the only place that names every thread. */
const threadCount = () => (process.report.getReport() as { workers?: unknown[] }).workers?.length ?? 0

describe('counts', () => {
  const shared = new Tokenizer()
  afterAll(() => shared.close())

  // Made with tiktoken's WebAssembly build and the published formulas by test/fixtures/counting/make.mjs.
  const file = readFileSync(join(COUNTING, 'references.json'), 'utf8')
  const { 'coding-agent': agent = 0, ...texts } = JSON.parse(file) as Record<string, number>

  it.each(Object.entries(texts))('the text %s as tiktoken does, within 5 %%', async (name, reference) => {
    const tokens = await shared.count([readFileSync(join(COUNTING, `${name}.txt`), 'utf8')])
    expect(Math.abs(tokens / reference - 1)).toBeLessThan(0.05)
  })

  it('a coding agent’s conversation with ten tools within 5 % of the published formulas', async () => {
    const { texts: parts, overheadTokens } = countableOf(countingConversation())
    const tokens = (await shared.count(parts)) + overheadTokens
    expect(Math.abs(tokens / agent - 1)).toBeLessThan(0.05)
  })

  it('nothing as nothing', async () => {
    expect(await shared.count([])).toBe(0)
    expect(await shared.count(['', ''])).toBe(0)
  })

  it('names of special tokens as text', async () => {
    expect(await shared.count(['<|endoftext|>'])).toBeGreaterThan(3)
  })

  it('what is no text at all', async () => {
    expect(await shared.count(['\ud800', '\udc00\ud800', '\0', '\uffff'])).toBeGreaterThan(3)
  })
})

describe('a count of ten megabytes', () => {
  const fill = (text: string) => text.repeat(Math.ceil((10 * MEGABYTE) / Buffer.byteLength(text)))
  /** The same piece again and again, of which no count sees the end: to make all of it would cost more than to count it. */
  const random = (from: number, span: number) => {
    const units = new Uint16Array(randomBytes(MEGABYTE).buffer).map((unit) => from + (unit % span))
    return fill(Buffer.from(units.buffer).toString('utf16le'))
  }

  it.each([
    ['one letter', () => fill('a')],
    ['spaces', () => fill(' ')],
    ['line ends behind slashes', () => fill('/\n')],
    ['symbols of two kinds', () => fill('!…')],
    ['base64', () => fill(randomBytes(0.75 * MEGABYTE).toString('base64'))],
    ['random ideographs', () => random(0x4e00, 0x5000)],
    ['random letters', () => random(0x61, 26)],
    ['first halves of characters', () => fill('\ud800')],
    ['second halves of characters', () => fill('\udc00')],
  ])('takes bounded work: %s', { timeout: 60_000 }, async (_, make) => {
    const counting = tokenizer({ waitMs: 60_000, hangMs: 60_000 })
    await counting.count(['ready'])
    const text = make()
    const before = process.cpuUsage()
    const tokens = await counting.count([text])
    // What the processors did, because others use them too. Without cuts these take minutes to days.
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(10)
    expect(tokens).toBeGreaterThan(text.length / 150)
  })

  it.each(['english', 'typescript', 'chinese'])(
    'is near what a full count gives, and the same again: %s',
    async (name) => {
      const text = readFileSync(join(COUNTING, `${name}.txt`), 'utf8')
      const times = Math.ceil((4 * MEGABYTE) / text.length)
      const counting = tokenizer()
      const full = times * (await counting.count([text]))
      const texts = Array.from({ length: times }, () => text)
      const sampled = await counting.count(texts)
      expect(Math.abs(sampled / full - 1)).toBeLessThan(0.02)
      expect(await tokenizer().count(texts)).toBe(sampled)
    },
  )
})

describe('a count for a bound', () => {
  it('is a count of what is not too long for one', async () => {
    expect(await tokenizer().countAtMost(['one two three'])).toBe(3)
  })

  it('takes nothing for granted of what it did not see', async () => {
    // As cheap as text can be where it is looked at, and as dear between.
    const counting = tokenizer()
    const piece = 8192
    const text = (' '.repeat(piece) + '𓀀𒀁'.repeat(piece / 2)).repeat(40)
    let full = 0
    for (let from = 0; from < text.length; from += 12 * piece) {
      full += await counting.count([text.slice(from, from + 12 * piece)])
    }
    expect(await counting.countAtMost([text])).toBeGreaterThanOrEqual(full)
  })

  it('is a token for each byte where nobody counts', async () => {
    const counting = tokenizer({ script: BROKEN, waitMs: 200 })
    expect(await counting.countAtMost(['silence', '𓀀'])).toBe(11)
    await counting.close()
    expect(await counting.countAtMost(['12345678'])).toBe(8)
  })
})

describe('the thread', () => {
  const idle = threadCount()

  it('is started by the first count and ended when there is no work for a while', async () => {
    const counting = tokenizer({ idleMs: 100 })
    expect(threadCount()).toBe(idle)
    const first = await counting.count(['one two three'])
    expect(first).toBe(3)
    expect(threadCount()).toBe(idle + 1)
    await expect.poll(threadCount).toBe(idle)
    expect(await counting.count(['one two three'])).toBe(3)
  })

  it('counts for many at once, each its own', async () => {
    const counting = tokenizer()
    const counts = await Promise.all(Array.from({ length: 50 }, (_, n) => counting.count([' a'.repeat(n)])))
    expect(counts).toEqual(Array.from({ length: 50 }, (_, n) => n))
  })

  it('gives a count that nothing changes but the texts: not its start, nor many others at once', async () => {
    const text = readFileSync(join(COUNTING, 'english.txt'), 'utf8')
    const counting = tokenizer({ idleMs: 50 })
    const first = await Promise.all(Array.from({ length: 300 }, () => counting.count([text])))
    await expect.poll(threadCount).toBe(idle)
    expect(new Set([...first, await counting.count([text]), await counting.count([text])]).size).toBe(1)
  })

  it('that is lost for a reason of its own is replaced, and counts what the lost one had', async () => {
    const lost = new URL('../fixtures/counting/lost-thread.mjs', import.meta.url)
    setEnvironmentData('lives', new SharedArrayBuffer(4))
    const counting = tokenizer({ script: lost })
    expect(await Promise.all(['one', 'two'].map((text) => counting.count([text])))).toEqual([4711, 4711])
    expect(threadCount()).toBe(idle + 1)
  })

  it('is replaced when it breaks twice over the same, which is estimated', async () => {
    const counting = tokenizer({ script: BROKEN })
    const counts = ['fine', 'throw', 'fine', 'exit', 'fine'].map((wish) => counting.count([wish, 'x'.repeat(36)]))
    expect(await Promise.all(counts)).toEqual([4711, 11, 4711, 10, 4711])
  })

  it('is replaced when it hangs', async () => {
    const counting = tokenizer({ script: BROKEN, hangMs: 1500, waitMs: 30_000 })
    expect(await Promise.all([counting.count(['hang', 'xxxx']), counting.count(['fine'])])).toEqual([2, 4711])
    expect(threadCount()).toBe(idle + 1)
  })

  it('does not keep a caller waiting longer than the limit', async () => {
    const counting = tokenizer({ script: BROKEN, waitMs: 200 })
    expect(await Promise.all([counting.count(['silence', 'x']), counting.count(['fine'])])).toEqual([2, 1])
  })

  it('that cannot be started leaves estimates', async () => {
    const counting = tokenizer({ script: new URL('missing.mjs', BROKEN) })
    expect(await Promise.all([counting.count(['12345678']), counting.count(['1234'])])).toEqual([2, 1])
  })
})

describe('the queue', () => {
  it('is bounded in calls: more are estimated at once', async () => {
    const counting = tokenizer({ script: BROKEN, waitMs: 60_000, hangMs: 60_000 })
    const waiting = Array.from({ length: 4096 }, () => counting.count(['silence']))
    expect(await counting.count(['12345678'])).toBe(2)
    await counting.close()
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => 2))
  })

  it('is bounded in characters, which are free again once they are answered', async () => {
    const counting = tokenizer({ script: BROKEN, waitMs: 10_000, hangMs: 60_000 })
    const large = 'x'.repeat(MEGABYTE / 4 - 4)
    const waiting = Array.from({ length: 256 }, () => counting.count(['fine', large]))
    expect(await counting.count(['fine', large])).toBe(MEGABYTE / 16)
    await Promise.all(waiting)
    expect(await counting.count(['fine', large])).toBe(4711)
  })
})

describe('patience', () => {
  it('is as short as the caller says: after it an estimate will do', async () => {
    const counting = tokenizer({ script: BROKEN, waitMs: 60_000, hangMs: 60_000 })
    expect(await counting.count(['hang', 'xxxx'], 50)).toBe(2)
  })
})

describe('closing', () => {
  it('answers what is under way and what comes later with estimates', async () => {
    const counting = tokenizer({ script: BROKEN })
    const counts = [counting.count(['hang', 'xxxx']), counting.count(['fine'])]
    await counting.close()
    expect(await Promise.all(counts)).toEqual([2, 1])
    expect(await counting.count(['12345678'])).toBe(2)
    await counting.close()
  })
})

it('keeps its tables once it has counted, and not what loading them took', async () => {
  const thread = new Worker(new URL('../../src-main/threads/tokenizer-thread.ts', import.meta.url))
  try {
    thread.postMessage({ texts: ['one fare'] } satisfies CountCall)
    await once(thread, 'message')
    // It was 53 MB.
    const heapMiB = async () => (await thread.getHeapStatistics()).total_heap_size / MEGABYTE
    await expect.poll(heapMiB).toBeLessThan(32)
  } finally {
    await thread.terminate()
  }
})
