import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repairTurns } from '#dialect/repair.ts'
import type { AssistantContent, TextContent, ToolResult, Turn } from '#dialect/turn.ts'
import { isLong } from '../support/cases.ts'

const numRuns = isLong ? 30_000 : 1000

function text(said: string): TextContent {
  return { type: 'text', text: said }
}

function call(id: string): AssistantContent {
  return { type: 'tool-call', id, name: 'run', arguments: '{}' }
}

function user(said: string): Turn {
  return { role: 'user', content: [text(said)] }
}

function system(said: string): Turn {
  return { role: 'system', content: [text(said)] }
}

/** Texts, and calls as `#id`. */
function assistant(...content: readonly string[]): Turn {
  return assistantOf(content)
}

function assistantOf(content: readonly string[]): Turn {
  return { role: 'assistant', content: content.map((one) => (one.startsWith('#') ? call(one.slice(1)) : text(one))) }
}

function answer(callId: string, said: string): ToolResult {
  return { callId, content: [text(said)], isError: false }
}

function tool(...results: readonly (readonly [string, string])[]): Turn {
  return toolOf(results)
}

function toolOf(results: readonly (readonly [string, string])[]): Turn {
  return { role: 'tool', results: results.map(([id, said]) => answer(id, said)) }
}

/** One short line for each turn. */
function shown(turns: readonly Turn[]): readonly string[] {
  return turns.map((turn) => {
    if (turn.role === 'tool') return `tool: ${turn.results.map((one) => `#${one.callId}=${saidBy(one)}`).join(' ')}`
    return `${turn.role}: ${turn.content.map((part) => (part.type === 'tool-call' ? `#${part.id}` : wordsOf(part))).join(' ')}`
  })
}

function saidBy({ content }: ToolResult): string {
  return content.map(wordsOf).join(' ')
}

function wordsOf(part: object): string {
  return 'text' in part && typeof part.text === 'string' ? part.text : '?'
}

function repaired(...turns: readonly Turn[]): readonly string[] {
  return shown(repairTurns(turns))
}

const NO_RESULT = 'No result: the call was interrupted.'

/** Any turns, with few ids so that they repeat, and with a text in each place that no other has. */
const conversations: fc.Arbitrary<readonly Turn[]> = fc
  .array(
    fc.record({
      role: fc.constantFrom('system', 'user', 'assistant', 'assistant', 'assistant', 'tool', 'tool', 'tool'),
      parts: fc.array(fc.record({ isCall: fc.boolean(), id: fc.constantFrom('a', 'b', 'c', 'a_2', '') }), {
        maxLength: 4,
      }),
    }),
    { maxLength: 14 },
  )
  .map((shapes) =>
    shapes.map(({ role, parts }, turn): Turn => {
      const said = (index: number) => `<${turn}.${index}>`
      if (role === 'tool') return { role, results: parts.map(({ id }, index) => answer(id, said(index))) }
      if (role === 'assistant') {
        return { role, content: parts.map(({ isCall, id }, index) => (isCall ? call(id) : text(said(index)))) }
      }
      const content = parts.map((_, index) => text(said(index)))
      return role === 'system' ? { role, content } : { role: 'user', content }
    }),
  )

function textsIn(turns: readonly Turn[]): readonly string[] {
  const all = JSON.stringify(turns).match(/<\d+\.\d+>/g) ?? []
  return [...all].toSorted()
}

function callsIn(turns: readonly Turn[]): readonly string[] {
  return turns.flatMap((turn) =>
    turn.role === 'assistant' ? turn.content.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])) : [],
  )
}

describe('any turns', () => {
  it('come out with each call answered once, in its order, right behind its turn', () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        const after = repairTurns(turns)
        for (const [index, turn] of after.entries()) {
          const next = after[index + 1]
          const ids = callsIn([turn])
          if (ids.length > 0) expect(next?.role === 'tool' ? next.results.map(({ callId }) => callId) : []).toEqual(ids)
          if (turn.role === 'tool')
            expect(callsIn(after.slice(Math.max(0, index - 1), index)).length).toBeGreaterThan(0)
          if (turn.role === 'user' || turn.role === 'assistant') expect(next?.role).not.toBe(turn.role)
          expect(turn.role === 'tool' ? turn.results : turn.content).not.toEqual([])
        }
        expect(new Set(callsIn(after)).size).toBe(callsIn(turns).length)
      }),
      { numRuns },
    )
  })

  it('lose no text and no result, and say nothing twice', () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        expect(textsIn(repairTurns(turns))).toEqual(textsIn(turns))
      }),
      { numRuns },
    )
  })

  it('are in order once they were repaired', () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        const once = repairTurns(turns)
        expect(repairTurns(once)).toEqual(once)
      }),
      { numRuns },
    )
  })

  it('are not changed themselves', () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        const before = JSON.stringify(turns)
        repairTurns(turns)
        expect(JSON.stringify(turns)).toBe(before)
      }),
      { numRuns: 100 },
    )
  })
})

describe('the work of a repair', () => {
  /** How often the ids of calls and results are looked at. */
  function looksFor(rounds: number): number {
    let looks = 0
    const counted = <Value extends object>(value: Value, name: string, id: string) =>
      Object.defineProperty(value, name, {
        enumerable: true,
        get: () => {
          looks += 1
          return id
        },
      })
    const turns: Turn[] = []
    for (let round = 0; round < rounds; round++) {
      // The same id again and again, one that is never answered, and texts that belong together.
      turns.push({ role: 'assistant', content: ['call_0', `x${round}`].map((id) => counted(call(id), 'id', id)) })
      turns.push({ role: 'tool', results: [counted(answer('call_0', 'r'), 'callId', 'call_0')] })
      turns.push(user('a'), user('b'), { role: 'tool', results: [counted(answer('?', 'r'), 'callId', '?')] })
    }
    repairTurns(turns)
    return looks
  }

  it('grows with the number of turns and no faster', () => {
    expect(looksFor(10_000) / looksFor(1000)).toBeLessThan(10.5)
  })

  it('is done in time for very many turns of one speaker and very many parts of one turn', () => {
    const turns = Array.from({ length: 200_000 }, (_, index) => user(`<${index}>`))
    const [joined] = repairTurns([
      ...turns,
      { role: 'user', content: Array.from({ length: 200_000 }, () => text('x')) },
    ])
    expect(joined?.role === 'user' ? joined.content.length : 0).toBe(400_000)
    const calls = Array.from({ length: 100_000 }, () => '#same')
    const results = calls.map((): readonly [string, string] => ['same', 'r'])
    expect(new Set(callsIn(repairTurns([assistantOf(calls), toolOf(results)]))).size).toBe(100_000)
  })

  it('is not made long by ids that look like those it would give', () => {
    const planted = Array.from({ length: 20_000 }, (_, index) => `#a_${index}`)
    const same = Array.from({ length: 20_000 }, () => '#a')
    expect(new Set(callsIn(repairTurns([assistantOf([...planted, ...same])]))).size).toBe(40_000)
  })
})

describe('known bugs of other gateways', () => {
  it('text between a call and its result belongs to the turn of the call (openai/codex#6962)', () => {
    expect(repaired(assistant('#a'), assistant('hm'), tool(['a', 'r']))).toEqual(['assistant: #a hm', 'tool: #a=r'])
    expect(repaired(assistant('#a'), user('hm'), tool(['a', 'r']))).toEqual(['assistant: #a', 'tool: #a=r', 'user: hm'])
  })

  it('parallel calls in assistant turns of their own become one (Effect-TS/effect#6702)', () => {
    expect(repaired(assistant('#a'), assistant('#b'), tool(['b', 'rb']), tool(['a', 'ra']))).toEqual([
      'assistant: #a #b',
      'tool: #a=ra #b=rb',
    ])
  })

  it('results before their calls are put behind them (ogx-ai/ogx#3224)', () => {
    expect(repaired(user('u'), tool(['a', 'ra'], ['b', 'rb']), assistant('#a', '#b'))).toEqual([
      'user: u',
      'assistant: #a #b',
      'tool: #a=ra #b=rb',
    ])
  })

  it('calls without a result get one, so that there are as many (microsoft/vscode#299295)', () => {
    expect(repaired(assistant('#a', '#b'), tool(['b', 'rb']), user('u'))).toEqual([
      'assistant: #a #b',
      `tool: #a=${NO_RESULT} #b=rb`,
      'user: u',
    ])
    const [, filled] = repairTurns([assistant('#a')])
    expect(filled).toMatchObject({ role: 'tool', results: [{ callId: 'a', isError: true }] })
  })

  it('results without a call become text (jwadow/kiro-gateway#49)', () => {
    expect(repaired(user('u'), tool(['x', 'r']), user('v'))).toEqual(['user: u [result of tool call x] r v'])
    const failed: Turn = { role: 'tool', results: [{ ...answer('x', 'r'), isError: true }] }
    expect(repaired(failed)).toEqual(['user: [error of tool call x] r'])
  })
})

describe('ids that repeat', () => {
  it('pair each call with its own next result, and are made different', () => {
    const turns = [
      assistant('#call_0'),
      tool(['call_0', 'r1']),
      assistant('#call_0'),
      tool(['call_0', 'r2']),
      user('u'),
    ]
    expect(repaired(...turns)).toEqual([
      'assistant: #call_0',
      'tool: #call_0=r1',
      'assistant: #call_0_2',
      'tool: #call_0_2=r2',
      'user: u',
    ])
  })

  it('give the result to the later call where the earlier was interrupted', () => {
    const turns = [assistant('#call_0'), user('stop'), assistant('#call_0'), tool(['call_0', 'r2'])]
    expect(repaired(...turns)).toEqual([
      'assistant: #call_0',
      `tool: #call_0=${NO_RESULT}`,
      'user: stop',
      'assistant: #call_0_2',
      'tool: #call_0_2=r2',
    ])
  })

  it('give results in the order of the calls within one turn', () => {
    expect(repaired(assistant('#a', '#a'), tool(['a', 'r1']), tool(['a', 'r2']))).toEqual([
      'assistant: #a #a_2',
      'tool: #a=r1 #a_2=r2',
    ])
  })

  it('get no id that another call has, and none that is too long', () => {
    expect(repaired(assistant('#a', '#a_2', '#a'))[0]).toBe('assistant: #a #a_2 #a_3')
    const long = 'x'.repeat(64)
    const ids = callsIn(
      repairTurns([assistant(`#${long}`, `#${long}`, `#${long.slice(0, 60)}`, `#${long.slice(0, 60)}`)]),
    )
    expect(new Set(ids).size).toBe(4)
    expect(Math.max(...ids.map((id) => id.length))).toBe(40)
  })

  it('keep a second result for a call that was answered, as text', () => {
    expect(repaired(assistant('#a'), tool(['a', 'r1'], ['a', 'r2']), assistant('ok'))).toEqual([
      'assistant: #a',
      'tool: #a=r1',
      'user: [result of tool call a] r2',
      'assistant: ok',
    ])
  })

  it('count one result that is listed twice as two', () => {
    const result = answer('a', 'r')
    expect(repaired(assistant('#a'), { role: 'tool', results: [result, result] })).toEqual([
      'assistant: #a',
      'tool: #a=r',
      'user: [result of tool call a] r',
    ])
  })
})

describe('turns of an assistant', () => {
  it('stay apart where results stand between them, also behind a call that was never answered', () => {
    const turns = [assistant('#a', '#b'), tool(['a', 'ra']), assistant('#c'), tool(['c', 'rc']), assistant('done')]
    expect(repaired(...turns)).toEqual([
      'assistant: #a #b',
      `tool: #a=ra #b=${NO_RESULT}`,
      'assistant: #c',
      'tool: #c=rc',
      'assistant: done',
    ])
  })

  it('take in what is said before all results are there', () => {
    expect(repaired(assistant('#a', '#b'), tool(['a', 'ra']), assistant('hm'), tool(['b', 'rb']))).toEqual([
      'assistant: #a #b hm',
      'tool: #a=ra #b=rb',
    ])
  })

  it('are joined where only empty turns stand between them', () => {
    expect(repaired(assistant('a'), { role: 'user', content: [] }, tool(), assistant(), assistant('b'))).toEqual([
      'assistant: a b',
    ])
  })
})

describe('turns in good order', () => {
  it('stay as they are', () => {
    const turns = [
      system('s'),
      user('u'),
      assistant('t', '#a', '#b'),
      tool(['a', 'ra'], ['b', 'rb']),
      system('later'),
      user('v'),
      assistant('done'),
    ]
    expect(repairTurns(turns)).toEqual(turns)
    expect(repairTurns([])).toEqual([])
  })

  it('keep instructions that stand between a call and its result, behind the result', () => {
    expect(repaired(assistant('#a'), system('s'), tool(['a', 'r']))).toEqual([
      'assistant: #a',
      'tool: #a=r',
      'system: s',
    ])
  })
})
