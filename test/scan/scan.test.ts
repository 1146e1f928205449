// What tools used by their own logs: each call once however often it is written, exact sums against a program in another language, and
// nothing in memory but a line and the sums.

import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cardPrices } from '#catalog/card-prices.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { findLogs } from '#scan/files.ts'
import { scan, type Scan } from '#scan/scan.ts'
import { Tally } from '#scan/tally.ts'
import { needs } from '../requirements.ts'
import { claudeLine, codexCount, codexHead, codexTurn, geminiLine, writeLog } from './logs.ts'

const NOW = Date.now()
const DAY = 86_400_000
const DAYS = 30
const PRICE_CARD = join(import.meta.dirname, '../../resources/price-card.json')
const CLAUDE = '.claude/projects/-home-ada-work-farebox/one.jsonl'
const CODEX = '.codex/sessions/2027/01/02'

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'farebox-scan-'))
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

function ago(ms: number): string {
  return new Date(NOW - ms).toISOString()
}

function scanned(env: Readonly<Record<string, string>> = {}): Promise<Scan> {
  return scan({ home, env, nowMs: NOW, days: DAYS, priceOfModel: cardPrices().priceOfModel })
}

function sorted({ rows }: Scan): string[] {
  return rows.map((row) => JSON.stringify(Object.values(row))).toSorted()
}

function recounted(): string[] {
  const args = [join(import.meta.dirname, 'recount.py'), home, PRICE_CARD, String(NOW - DAYS * DAY), String(NOW)]
  const rows = JSON.parse(execFileSync('python3', args, { encoding: 'utf8' })) as readonly unknown[]
  return rows.map((row) => JSON.stringify(row)).toSorted()
}

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('the sums', () => {
  it(
    'are those of a program that counts in its own way, for months of logs with all that they repeat',
    needs('python3'),
    async () => {
      const below = numbers(7)
      const models = ['claude-opus-4-6', 'claude-haiku-4-5-20251001', 'somebody-elses-model', '<synthetic>']
      for (let file = 0; file < 6; file++) {
        const lines = Array.from({ length: 150 }, (_, index) => {
          const call = {
            id: `msg_${file}_${index}`,
            at: ago(below(40 * DAY)),
            model: models[below(models.length)] ?? '',
            cwd: `/home/ada/work/project-${below(3)}`,
          }
          // What is known of a call when its first block is written is often nothing yet, and some versions name the request alone.
          const told = Array.from({ length: 1 + below(3) }, (_one, line) => {
            const written = below(50_000)
            const cached = { read: below(300_000), written, hourly: below(written + 1) }
            return line === 0 && below(2) === 0
              ? { input: 0, output: 1 }
              : { ...cached, input: below(9000), output: below(8000) }
          })
          const named = below(4) === 0 ? { ...call, id: undefined, requestId: `req_${file}_${index}` } : call
          return told.map((usage) => claudeLine(named, usage))
        }).flat()
        writeLog(home, `.claude/projects/p/${file}.jsonl`, lines)
        // A conversation that was continued in another file begins with the lines of the first.
        writeLog(home, `.claude/projects/p/${file}-continued/subagents/a.jsonl`, lines.slice(0, 40))
      }
      for (let session = 0; session < 4; session++) {
        let sums = { input: 0, cached: 0, output: 0 }
        const own = Array.from({ length: 60 }, () => {
          const cached = below(50_000)
          sums = {
            input: sums.input + cached + below(9000),
            cached: sums.cached + cached,
            output: sums.output + below(900),
          }
          const line = codexCount(ago(below(35 * DAY)), sums)
          return below(3) === 0 ? [line, line] : [line]
        }).flat()
        const head = [codexTurn(session % 2 === 0 ? 'gpt-6-sol' : 'gpt-unknown', ago(0))]
        writeLog(home, `${CODEX}/rollout-a-id-${session}.jsonl`, [
          codexHead(`id-${session}`, ago(DAY)),
          ...head,
          ...own,
        ])
        const forked = own.slice(0, 30).map((line) => ({ ...line, timestamp: ago(DAY) }))
        const more = codexCount(ago(5), { input: sums.input + 7000, cached: sums.cached, output: sums.output + 5 })
        const fork = [codexHead(`fork-${session}`, ago(DAY), `id-${session}`), ...head, ...forked, more]
        writeLog(home, `${CODEX}/rollout-b-fork-${session}.jsonl`, fork)
      }
      const turns = Array.from({ length: 80 }, (_, index) => {
        const input = 1000 + below(90_000)
        const tokens = { input, cached: below(input), output: below(700), thoughts: below(2000), tool: below(90) }
        const at = ago(below(40 * DAY))
        return [
          geminiLine(`turn-${index}`, at, { ...tokens, output: 0, thoughts: 0 }),
          geminiLine(`turn-${index}`, at, tokens),
        ]
      }).flat()
      writeLog(home, '.gemini/tmp/shop/chats/session-2027-a.jsonl', turns)
      const found = await scanned()
      expect(found.rows.length).toBeGreaterThan(100)
      expect(found.skipped).toEqual({ lines: 0, files: 0 })
      expect(sorted(found)).toEqual(recounted())
    },
  )

  it('are of one call, with what its last line says, by its price', async () => {
    const call = { id: 'msg_1', at: ago(DAY) }
    const usage = { input: 1000, read: 2000, written: 3000, hourly: 1000 }
    writeLog(home, CLAUDE, [claudeLine(call, { ...usage, output: 1 }), claudeLine(call, { ...usage, output: 500 })])
    const { rows } = await scanned()
    expect(rows).toEqual([
      expect.objectContaining({
        tool: 'claude-code',
        model: 'claude-opus-4-6',
        project: 'farebox',
        calls: 1,
        input_tokens: 1000,
        cache_read_tokens: 2000,
        cache_write_tokens: 3000,
        output_tokens: 500,
        cost_micro: 1000 * 5 + 2000 * 0.5 + 2000 * 6.25 + 1000 * 10 + 500 * 25,
      }),
    ])
  })

  it('are of one call where its first line knew of the first token alone, and where its lines name only the request', async () => {
    const first = { input: 0, output: 1 }
    const last = { input: 10_682, read: 50_000, written: 300, hourly: 100, output: 510 }
    for (const name of [{ id: 'msg_1' }, { requestId: 'req_1' }]) {
      const call = { ...name, at: ago(DAY) }
      writeLog(home, CLAUDE, [claudeLine(call, first), claudeLine(call, last), claudeLine(call, first)])
      expect((await scanned()).rows).toEqual([
        expect.objectContaining({
          calls: 1,
          input_tokens: 10_682,
          cache_read_tokens: 50_000,
          cache_write_tokens: 300,
          output_tokens: 510,
          cost_micro: 10_682 * 5 + 50_000 * 0.5 + 200 * 6.25 + 100 * 10 + 510 * 25,
        }),
      ])
    }
  })

  it('of a Codex session that began anew go on with its last call', async () => {
    const last = { input: 30, cached: 10, output: 5 }
    writeLog(home, `${CODEX}/rollout-a-x.jsonl`, [
      codexHead('x', ago(DAY)),
      codexTurn('gpt-6-sol', ago(DAY)),
      codexCount(ago(DAY), { input: 1000, cached: 400, output: 50 }),
      codexCount(ago(DAY), last, last),
    ])
    const [row] = (await scanned()).rows
    expect(row).toMatchObject({
      calls: 2,
      input_tokens: 620,
      cache_read_tokens: 410,
      output_tokens: 55,
      project: 'api',
    })
  })

  it('are of Qwen Code and Pi as well', async () => {
    const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, cachedContentTokenCount: 60 }
    const model = 'qwen-of-mine'
    writeLog(home, '.qwen/projects/shop/chats/a.jsonl', [
      { type: 'assistant', uuid: 'u1', timestamp: ago(DAY), cwd: 'C:\\work\\shop', model, usageMetadata },
    ])
    const usage = { input: 7, output: 8, cacheRead: 9, cacheWrite: 10, totalTokens: 34 }
    writeLog(home, '.pi/agent/sessions/--home--/a.jsonl', [
      { type: 'session', id: 's', cwd: '/home/ada/notes' },
      {
        type: 'message',
        id: 'm',
        timestamp: ago(DAY),
        message: { role: 'assistant', model: 'm', responseId: 'r', usage },
      },
    ])
    const { rows, files } = await scanned()
    expect(files).toEqual({ 'qwen-code': 1, pi: 1 })
    expect(rows).toMatchObject([
      {
        tool: 'qwen-code',
        project: 'shop',
        input_tokens: 40,
        cache_read_tokens: 60,
        output_tokens: 20,
        cost_micro: null,
      },
      { tool: 'pi', project: 'notes', input_tokens: 7, cache_read_tokens: 9, cache_write_tokens: 10, output_tokens: 8 },
    ])
  })
})

describe('a log', () => {
  it('of any content costs at most the lines that cannot be read', async () => {
    const good = claudeLine({ id: 'msg_1', at: ago(DAY) }, { input: 1, output: 2 })
    const odd = ['', 'null', '[]', '"usage"', '{"usage": ', '{"type":"assistant","message":{"usage":null,"model":"m"}}']
    const hostile = [
      '{"type":"assistant","message":{"model":"m","usage":{"input_tokens":-5,"output_tokens":"many"}}}',
      `{"type":"assistant","timestamp":"never","message":{"id":"a","model":"m","usage":{"input_tokens":5}}}`,
      `{"type":"assistant","timestamp":"${ago(0)}","message":{"id":{},"model":["m"],"usage":{"input_tokens":5}}}`,
      `{"a":${'['.repeat(50_000)}"usage"`,
    ]
    const file = writeLog(home, CLAUDE, [...odd, ...hostile, good, '\u0000\ufffd"usage"'])
    appendFileSync(file, JSON.stringify(good).slice(0, 80))
    const { rows } = await scanned()
    expect(rows).toMatchObject([{ calls: 1, input_tokens: 1, output_tokens: 2 }])
  })

  it('with a line of many megabytes passes over that line alone, and counts it', async () => {
    const call = (id: string) => JSON.stringify(claudeLine({ id, at: ago(DAY) }, { input: 1, output: 2 }))
    const long = call('msg_long').replace('A secret sentence', 'x'.repeat(9 * 1_048_576))
    writeLog(home, CLAUDE, [call('msg_1'), long, call('msg_2')])
    const { rows, skipped } = await scanned()
    expect(skipped).toEqual({ lines: 1, files: 0 })
    expect(rows).toMatchObject([{ calls: 2 }])
  })

  it('that did not change since is not opened, and calls of before are not counted', async () => {
    const old = writeLog(home, CLAUDE, [claudeLine({ id: 'a', at: ago(DAY) }, { input: 1, output: 1 })])
    const longAgo = new Date(NOW - 31 * DAY)
    utimesSync(old, longAgo, longAgo)
    writeLog(home, '.claude/projects/p/b.jsonl', [
      claudeLine({ id: 'b', at: ago(31 * DAY) }, { input: 1, output: 1 }),
      claudeLine({ id: 'c', at: ago(-DAY) }, { input: 1, output: 1 }),
    ])
    const { rows, files } = await scanned()
    expect(rows).toEqual([])
    expect(files).toEqual({ 'claude-code': 1 })
  })

  it('is looked for where the tool has it, and behind no link', async () => {
    const elsewhere = join(home, 'elsewhere')
    writeLog(elsewhere, 'projects/p/a.jsonl', [claudeLine({ id: 'a', at: ago(DAY) }, { input: 1, output: 1 })])
    expect((await scanned({ CLAUDE_CONFIG_DIR: elsewhere })).rows).toHaveLength(1)
    writeLog(home, CLAUDE, [])
    symlinkSync(elsewhere, join(home, '.claude/projects/link'))
    symlinkSync(home, join(home, '.claude/projects/round'))
    expect((await scanned()).rows).toEqual([])
  })

  it('beyond the most that are looked at is said to be left out', async () => {
    for (const name of 'abcde') writeLog(home, `logs/${name}.jsonl`, [])
    const isLog = (path: string) => path.endsWith('.jsonl')
    const found = (files: number) => findLogs(join(home, 'logs'), { isLog }, { files, folders: 1 })
    expect(await found(3)).toMatchObject({ isPartial: true, files: [{}, {}, {}] })
    expect(await found(5)).toMatchObject({ isPartial: false, files: [{}, {}, {}, {}, {}] })
    expect(await findLogs(join(home, 'nowhere'), { isLog })).toEqual({ files: [], isPartial: false })
  })

  it('in a folder beyond the most that are looked at is said to be left out', async () => {
    for (const name of 'abc') writeLog(home, `logs/${name}/one.jsonl`, [])
    const isLog = (path: string) => path.endsWith('.jsonl')
    const found = (folders: number) => findLogs(join(home, 'logs'), { isLog }, { files: 9, folders })
    expect(await found(3)).toMatchObject({ isPartial: true, files: [{}, {}] })
    expect(await found(4)).toMatchObject({ isPartial: false, files: [{}, {}, {}] })
  })

  it('is not looked for in folders that hold none, however deep and many they are', async () => {
    const count = codexCount(ago(DAY), { input: 10, cached: 0, output: 5 })
    const deep = 'a/b/c/d/e/f/g/h/i'
    writeLog(home, `.codex/worktrees/${deep}/rollout-x.jsonl`, [count])
    writeLog(home, `.gemini/tmp/shop/work/${deep}/session-x.jsonl`, [])
    writeLog(home, '.codex/archived_sessions/rollout-a.jsonl', [count])
    writeLog(home, `${CODEX}/rollout-b.jsonl`, [count])
    expect(await scanned()).toMatchObject({ isPartial: false, files: { codex: 2 }, rows: [{ calls: 2 }] })
    writeLog(home, `.codex/sessions/${deep}/rollout-c.jsonl`, [count])
    expect(await scanned()).toMatchObject({ isPartial: true, files: { codex: 2 } })
  })

  it.runIf(process.getuid?.() !== 0)('that may not be read is counted as left out', async () => {
    const file = writeLog(home, CLAUDE, [])
    chmodSync(file, 0)
    expect((await scanned()).skipped.files).toBe(1)
  })
})

describe('a scan', () => {
  it('has one more row of each tool, and no more, for all that is beyond the most rows', () => {
    const { priceOfModel } = cardPrices()
    const tally = new Tally({ sinceMs: 0, untilMs: NOW, priceOfModel })
    const usage = { ...UNKNOWN_USAGE, inputTokens: 1, outputTokens: 2 }
    const add = (model: string, tool = 'codex') =>
      tally.add(tool, { id: undefined, atMs: NOW, model, project: 'p', usage })
    for (let count = 0; count < 250_000; count++) add(`model-${count}`)
    add('model-1')
    add('claude-opus-4-6')
    add('never-seen', 'pi')
    const rows = tally.rows()
    expect(rows).toHaveLength(200_002)
    const rest = { day: '', model: 'other', project: '' }
    expect(rows.slice(-2)).toMatchObject([
      { ...rest, tool: 'codex', calls: 50_001, input_tokens: 50_001, output_tokens: 100_002, cost_micro: 5 + 2 * 25 },
      { ...rest, tool: 'pi', calls: 1, cost_micro: null },
    ])
    expect(rows[1]).toMatchObject({ model: 'model-1', calls: 2 })
  })

  it('writes nothing, and keeps nothing of what was said', async () => {
    writeLog(home, CLAUDE, [claudeLine({ id: 'a', at: ago(DAY) }, { input: 1, output: 1 })])
    const before = readdirSync(home, { recursive: true })
    expect(JSON.stringify(await scanned())).not.toMatch(/secret|ada/)
    expect(readdirSync(home, { recursive: true })).toEqual(before)
  })

  it('takes no more memory for a log of two hundred megabytes than for a part of it', async () => {
    const noise = `${JSON.stringify({ type: 'user', message: { content: 'x'.repeat(100_000) } })}\n`
    const file = writeLog(home, CLAUDE, [])
    const piece = `${noise.repeat(100)}${JSON.stringify(claudeLine({ id: 'a', at: ago(DAY) }, { input: 1, output: 1 }))}\n`
    writeFileSync(file, '')
    for (let count = 0; count < 24; count++) appendFileSync(file, piece)
    let most = 0
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 1)
    const before = process.memoryUsage().arrayBuffers
    const { rows } = await scanned()
    clearInterval(watch)
    expect(rows).toMatchObject([{ calls: 1 }])
    expect(most - before).toBeLessThan(120 * 1_048_576)
  })
})
