import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldParts, type AnswerPart, type Block } from '#dialect/part.ts'
import {
  AnswerRestorer,
  customArguments,
  customInput,
  effectiveToolChoice,
  ToolNames,
  withWireNames,
} from '#dialect/tools.ts'
import type { Conversation, Tool, ToolKind } from '#dialect/turn.ts'
import { checkPartOrder } from './part-order.ts'
import { isLong } from '../support/cases.ts'

const numRuns = isLong ? 30_000 : 1000

/** What OpenAI, Anthropic and Gemini all take. */
const WIRE_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/

type Named = { readonly name: string; readonly namespace?: string | undefined; readonly kind?: ToolKind }

function tool({ name, namespace, kind = 'function' }: Named): Tool {
  return { name, namespace, kind, description: undefined, parameters: undefined, isStrict: undefined }
}

function wireNames(...named: readonly Named[]): readonly string[] {
  return wireNamesOf(named)
}

function wireNamesOf(named: readonly Named[]): readonly string[] {
  const names = new ToolNames(named.map(tool))
  return named.map((one) => names.wire(one))
}

const namePart = fc.oneof(
  fc.constantFrom('a', 'b', 'a__b', 'b__c', 'c', '', 'get_weather', 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(90)),
  fc.string({ maxLength: 70 }),
  fc.string({ unit: 'binary', maxLength: 5 }),
)
const named = fc.record({ name: namePart, namespace: fc.option(namePart, { nil: undefined }) })
const namedTools = fc.uniqueArray(named, {
  maxLength: 12,
  selector: (one) => JSON.stringify([one.namespace ?? null, one.name]),
})

describe("the names of a request's tools", () => {
  it('fit every provider, differ, and lead back to the tool', () => {
    fc.assert(
      fc.property(namedTools, (tools) => {
        const names = new ToolNames(tools.map(tool))
        const wire = tools.map((one) => names.wire(one))
        for (const name of wire) expect(name).toMatch(WIRE_NAME)
        expect(new Set(wire).size).toBe(tools.length)
        for (const [index, name] of wire.entries()) expect(names.known(name)).toMatchObject(tools[index] ?? {})
      }),
      { numRuns },
    )
  })

  it('are the same each time that the same tools come', () => {
    fc.assert(
      fc.property(namedTools, (tools) => {
        expect(wireNames(...tools)).toEqual(wireNames(...tools))
      }),
      { numRuns: 100 },
    )
  })

  it('stay as they are where they fit', () => {
    const all = ['get_weather', '_x', 'A-1', 'x'.repeat(64)]
    expect(wireNames(...all.map((name) => ({ name })))).toEqual(all)
  })

  it('are cut to 64 characters, and a long MCP name comes back whole (anthropics/claude-code#2485)', () => {
    const name = `mcp__${'server'.repeat(10)}__${'tool'.repeat(6)}`.padEnd(90, 'x').slice(0, 90)
    const twin = `${name.slice(0, 89)}y`
    const names = new ToolNames([tool({ name }), tool({ name: twin })])
    const [first, second] = [names.wire({ name }), names.wire({ name: twin })]
    expect(first).toMatch(WIRE_NAME)
    expect(first.slice(0, 40)).toBe(name.slice(0, 40))
    expect(first).not.toBe(second)
    expect([names.known(first).name, names.known(second).name]).toEqual([name, twin])
  })

  it('join a namespace and a name', () => {
    expect(wireNames({ name: 'b', namespace: 'a' })).toEqual(['a__b'])
    expect(wireNames({ name: 'b', namespace: '' })).toEqual(['b'])
  })

  it('differ where a namespace and a name add up to the same', () => {
    const wire = wireNames({ namespace: 'a__b', name: 'c' }, { namespace: 'a', name: 'b__c' }, { name: 'a__b__c' })
    expect(wire[0]).toBe('a__b__c')
    expect(new Set(wire).size).toBe(3)
  })

  it('differ where a client has a tool of the name that another would be given', () => {
    const long = 'x'.repeat(80)
    const [given = ''] = wireNames({ name: long })
    expect(new Set(wireNames({ name: given }, { name: long })).size).toBe(2)
    expect(new Set(wireNames({ name: long }, { name: given })).size).toBe(2)
  })

  it('differ where a zero character could stand for the end of a namespace', () => {
    expect(new Set(wireNames({ namespace: 'a\0b', name: 'c' }, { namespace: 'a', name: 'b\0c' })).size).toBe(2)
  })

  it('that only the history has go back as they came, and unknown ones are functions', () => {
    const names = new ToolNames([])
    const past = { name: 'x'.repeat(80), namespace: 'old' }
    expect(names.known(names.wire(past))).toEqual({ ...past, kind: 'function' })
    expect(names.known('invented')).toEqual({ name: 'invented', kind: 'function' })
  })

  it('are found in time for very many tools', { timeout: 10_000 }, () => {
    const many = Array.from({ length: 100_000 }, (_, index) => ({ name: `tool ${index}` }))
    expect(new Set(wireNamesOf(many)).size).toBe(many.length)
  })
})

describe('a conversation with wire names', () => {
  const base: Conversation = {
    turns: [],
    tools: [],
    hostedTools: [],
    toolChoice: undefined,
    allowsParallelTools: undefined,
    outputCap: undefined,
    stop: [],
    sampling: {},
    reasoning: { effort: undefined, budgetTokens: undefined, isShown: true },
    format: undefined,
    choices: 1,
    user: undefined,
    shared: {},
    dropped: [],
  }

  it('has the same name for a tool, its calls and the choice', () => {
    const own = { name: 'read file', namespace: 'fs' }
    const conversation: Conversation = {
      ...base,
      tools: [tool(own)],
      toolChoice: { type: 'tool', ...own },
      turns: [
        { role: 'user', content: [{ type: 'text', text: 'u' }] },
        { role: 'assistant', content: [{ type: 'tool-call', id: 'a', ...own, arguments: '{}' }] },
      ],
    }
    const written = withWireNames(conversation, new ToolNames(conversation.tools))
    const [first] = written.tools
    expect(first?.name).toMatch(WIRE_NAME)
    expect(first?.namespace).toBeUndefined()
    expect(written.toolChoice).toEqual({ type: 'tool', name: first?.name })
    expect(written.turns[1]).toMatchObject({ content: [{ name: first?.name, namespace: undefined }] })
    expect(written.turns[0]).toBe(conversation.turns[0])
  })

  it('has one tool for a name that stands twice, the first, which answers are given back as', () => {
    const tools = [tool({ name: 'a', kind: 'custom' }), tool({ name: 'b' }), tool({ name: 'a' })]
    const names = new ToolNames(tools)
    const written = withWireNames({ ...base, tools, dropped: ['x'] }, names)
    expect(written.tools.map(({ name, kind }) => [name, kind])).toEqual([
      ['a', 'custom'],
      ['b', 'function'],
    ])
    expect(written.dropped).toEqual(['x', 'tools of the same name'])
    expect(names.known('a').kind).toBe('custom')
  })

  it('has no tool choice where it has no tools (kittors/CliRelay#739)', () => {
    const toolChoice = { type: 'required' } as const
    expect(effectiveToolChoice({ ...base, toolChoice })).toBeUndefined()
    expect(effectiveToolChoice({ ...base, toolChoice, tools: [tool({ name: 'a' })] })).toBe(toolChoice)
  })
})

describe("a custom tool's input", () => {
  it('comes back as it went in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (input) => {
        expect(customInput(customArguments(input))).toBe(input)
      }),
      { numRuns },
    )
  })

  it.each([
    ['another name for the member', '{"patch":"*** Begin"}', '*** Begin'],
    ['a name that nobody knows', '{"diff":"*** Begin"}', '*** Begin'],
    ['members beside it', '{"input":"*** Begin","why":"because"}', '*** Begin'],
    ['an input that is no text, and one text', '{"input":7,"text":"*** Begin"}', '*** Begin'],
    ['several texts of which none is named', '{"a":"x","b":"y"}', '{"a":"x","b":"y"}'],
    ['no JSON at all', '*** Begin\n{', '*** Begin\n{'],
    ['a JSON string', '"*** Begin\\n"', '*** Begin\n'],
    ['JSON that is the text', '{"a":{"b":1}}', '{"a":{"b":1}}'],
    ['a list', '[1]', '[1]'],
    ['a number', '7', '7'],
    ['JSON that was cut off', '{"input":"*** Beg', '{"input":"*** Beg'],
    ['nothing', '', ''],
    ['an empty text', '{"input":""}', ''],
  ])('is found in %s', (_, argumentsText, input) => {
    expect(customInput(argumentsText)).toBe(input)
  })
})

describe('an answer with the tools of the client', () => {
  const names = new ToolNames([
    tool({ name: 'read file', namespace: 'fs' }),
    tool({ name: 'apply_patch', kind: 'custom' }),
    tool({ name: 'shell', kind: 'local-shell' }),
  ])

  function wireBlock(name: string, namespace?: string): Block {
    return { type: 'tool-call', id: 'i', name: names.wire({ name, namespace }), kind: 'function' }
  }

  function blockOf(choice: number, block: Block, ...texts: readonly string[]): AnswerPart[] {
    const deltas = texts.map((text): AnswerPart => ({ type: 'delta', choice, text }))
    return [{ type: 'open', choice, block }, ...deltas, { type: 'close', choice }]
  }

  function restored(parts: readonly AnswerPart[], showsReasoning = true): readonly AnswerPart[] {
    const restorer = new AnswerRestorer(names, { showsReasoning })
    const choices = new Set(parts.flatMap((part) => ('choice' in part ? [part.choice] : [])))
    const ends = Array.from(choices, (choice): AnswerPart => ({ type: 'finish', choice, reason: 'stop' }))
    const whole = [{ type: 'start' } as const, ...parts, ...ends].flatMap((part) => [...restorer.restore(part)])
    checkPartOrder(whole)
    return whole
  }

  it('has their own names, namespaces and kinds', () => {
    const parts = restored([
      ...blockOf(0, wireBlock('read file', 'fs'), '{', '}'),
      ...blockOf(0, wireBlock('shell'), '{}'),
    ])
    expect(foldParts(parts).choices[0]?.blocks).toMatchObject([
      { block: { name: 'read file', namespace: 'fs', kind: 'function' }, text: '{}' },
      { block: { name: 'shell', kind: 'local-shell' }, text: '{}' },
    ])
  })

  it("has a custom tool's text in one piece, once it is complete", () => {
    const restorer = new AnswerRestorer(names, { showsReasoning: true })
    const [open, first, second, close] = blockOf(0, wireBlock('apply_patch'), '{"input":"a', '\\nb"}')
    const written = [open, first, second].map((part) => (part === undefined ? [] : restorer.restore(part).length))
    expect(written).toEqual([1, 0, 0])
    expect(close === undefined ? [] : restorer.restore(close)).toEqual([
      { type: 'delta', choice: 0, text: 'a\nb' },
      { type: 'close', choice: 0 },
    ])
  })

  it('has a custom tool without text', () => {
    const [choice] = foldParts(restored(blockOf(0, wireBlock('apply_patch'), '{"input":""}'))).choices
    expect(choice?.blocks).toMatchObject([{ block: { kind: 'custom' }, text: '' }])
  })

  it('keeps the mark of a custom call that was cut off', () => {
    const [open, delta] = blockOf(0, wireBlock('apply_patch'), '{"input":"a')
    const parts = [open, delta].flatMap((part) => (part === undefined ? [] : [part]))
    const [choice] = foldParts(restored([...parts, { type: 'close', choice: 0, isCut: true }])).choices
    expect(choice?.blocks).toMatchObject([{ isCut: true }])
  })

  it('shows reasoning only to a client that wants it', () => {
    const parts = [...blockOf(0, { type: 'reasoning' }, 'so', ' be it'), ...blockOf(0, { type: 'text' }, 'Hi')]
    const typesOf = (shows: boolean) =>
      foldParts(restored(parts, shows)).choices[0]?.blocks.map(({ block, text }) => `${block.type}: ${text}`)
    expect(typesOf(true)).toEqual(['reasoning: so be it', 'text: Hi'])
    expect(typesOf(false)).toEqual(['text: Hi'])
  })

  it('keeps the choices apart', () => {
    const lanes = [
      blockOf(0, wireBlock('apply_patch'), '{"input":', '"zero"}'),
      blockOf(1, { type: 'reasoning' }, 'hidden', '!'),
      blockOf(2, { type: 'text' }, 'two', '!'),
    ]
    const mixed = [0, 1, 2, 3].flatMap((at) => lanes.flatMap((lane) => lane.slice(at, at + 1)))
    const texts = foldParts(restored(mixed, false)).choices.map(({ blocks }) => blocks.map(({ text }) => text))
    expect(texts).toEqual([['zero'], [], ['two!']])
  })

  it('passes everything else on as it is', () => {
    const parts: AnswerPart[] = [
      ...blockOf(0, { type: 'text' }, 'a'),
      { type: 'citation', choice: 0, url: 'https://a', title: undefined },
      ...blockOf(0, { type: 'refusal' }, 'no'),
    ]
    expect(restored(parts).slice(1, -1)).toEqual(parts)
  })
})
