import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlockSequencer, type ToolPiece } from '#dialect/blocks.ts'
import { foldParts, type AnswerPart, type FoldedBlock } from '#dialect/part.ts'
import { parseJson } from '#dialect/request-body.ts'
import type { Sealed } from '#dialect/seal.ts'
import { jsonObjects } from './json-arbitrary.ts'
import { checkPartOrder } from './part-order.ts'
import { isLong } from '../support/cases.ts'

const numRuns = isLong ? 20_000 : 500

type PlainType = 'text' | 'refusal' | 'reasoning'
type Step =
  | { readonly type: 'plain'; readonly as: PlainType; readonly text: string; readonly sealed: Sealed | undefined }
  | { readonly type: 'sealed'; readonly sealed: Sealed }
  | { readonly type: 'tool'; readonly piece: ToolPiece }
type Call = { readonly key: string; readonly name: string; readonly text: string }
type Script = { readonly steps: readonly Step[]; readonly calls: readonly Call[] }

const WHOLE = { isCut: false }
const CUT = { isCut: true }

function sequencer(): BlockSequencer {
  let count = 0
  return new BlockSequencer(0, () => `made_${count++}`)
}

function take(blocks: BlockSequencer, step: Step): AnswerPart[] {
  if (step.type === 'tool') return blocks.tool(step.piece)
  if (step.type === 'sealed') return blocks.sealedReasoning(step.sealed)
  const parts = blocks.plain(step.as, step.text)
  return step.sealed === undefined ? parts : [...parts, ...blocks.close(step.sealed)]
}

/** The blocks that steps give, checked for the order of their parts. */
function run(steps: readonly Step[], ending = WHOLE): readonly FoldedBlock[] {
  const blocks = sequencer()
  const parts = [...steps.flatMap((step) => take(blocks, step)), ...blocks.end(ending)]
  checkPartOrder([{ type: 'start' }, ...parts, { type: 'finish', choice: 0, reason: 'stop' }])
  return foldParts(parts).choices[0]?.blocks ?? []
}

function piece(key: string, more: Partial<ToolPiece> = {}): Step {
  return { type: 'tool', piece: { key, id: undefined, name: undefined, arguments: '', ...more } }
}

function says(as: PlainType, text: string, sealed?: Sealed): Step {
  return { type: 'plain', as, text, sealed }
}

/** Short, to be compared with what is expected. */
function shown(blocks: readonly FoldedBlock[]): readonly string[] {
  return blocks.map(({ block, text, isCut, sealed }) => {
    const what = block.type === 'tool-call' ? `${block.name}#${block.id}` : block.type
    return `${what}: ${text}${isCut ? ' (cut)' : ''}${sealed === undefined ? '' : ` [${sealed.value}]`}`
  })
}

function cutAt(text: string, positions: readonly number[]): string[] {
  const cuts = [
    0,
    ...positions.map((at) => at % (text.length + 1)).toSorted((left, right) => left - right),
    text.length,
  ]
  return cuts.slice(1).map((end, index) => text.slice(cuts[index], end))
}

const plainStep: fc.Arbitrary<Step> = fc
  .record({
    as: fc.constantFrom<PlainType>('text', 'reasoning', 'refusal'),
    text: fc.string({ minLength: 1, maxLength: 4 }),
    isSealed: fc.boolean(),
  })
  .map(({ as, text, isSealed }) => says(as, text, as === 'reasoning' && isSealed ? seal('') : undefined))

function seal(value: string): Sealed {
  return { origin: 'gemini', value }
}

const toolLane = fc
  .record({
    text: fc.oneof(
      fc.constant(''),
      jsonObjects.map((text) => text.trim()),
    ),
    cuts: fc.array(fc.nat(), { maxLength: 5 }),
    hasId: fc.boolean(),
    repeats: fc.boolean(),
    nameAt: fc.nat({ max: 2 }),
  })
  .map(({ text, cuts, hasId, repeats, nameAt }) => (number: number): { call: Call; lane: Step[] } => {
    const [key, name] = [`k${number}`, `tool${number}`]
    const texts = cutAt(text, cuts)
    const named = Math.min(nameAt, texts.length - 1)
    const lane = texts.map((part, index) =>
      piece(key, {
        id: hasId && index === 0 ? `id${number}` : undefined,
        name: index === named || (repeats && index > named) ? name : repeats ? '' : undefined,
        arguments: part,
      }),
    )
    return { call: { key, name, text }, lane }
  })

const scripts: fc.Arbitrary<Script> = fc
  .record({
    plain: fc.array(fc.oneof({ weight: 5, arbitrary: plainStep }, { weight: 1, arbitrary: fc.constant(undefined) }), {
      maxLength: 12,
    }),
    tools: fc.array(toolLane, { maxLength: 5 }),
    order: fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
  })
  .map(({ plain, tools, order }) => {
    const made = tools.map((make, number) => make(number))
    const numbered = plain.map((step, number): Step => {
      if (step === undefined) return { type: 'sealed', sealed: seal(`seal${number}`) }
      return step.type === 'plain' && step.sealed !== undefined ? { ...step, sealed: seal(`seal${number}`) } : step
    })
    const lanes = [numbered, ...made.map(({ lane }) => lane)].filter((lane) => lane.length > 0)
    return { steps: interleave(lanes, order), calls: made.map(({ call }) => call) }
  })

function interleave(lanes: readonly (readonly Step[])[], order: readonly number[]): Step[] {
  const left = lanes.map((lane) => [...lane])
  const steps: Step[] = []
  for (let turn = 0; left.some((lane) => lane.length > 0); turn++) {
    const open = left.filter((lane) => lane.length > 0)
    const step = open[(order[turn % order.length] ?? 0) % open.length]?.shift()
    if (step !== undefined) steps.push(step)
  }
  return steps
}

function textsOf(steps: readonly Step[], as: PlainType): string {
  return steps.map((step) => (step.type === 'plain' && step.as === as ? step.text : '')).join('')
}

function sealsOf(steps: readonly Step[]): readonly string[] {
  return steps.flatMap((step) => (step.type === 'tool' || step.sealed === undefined ? [] : [step.sealed.value]))
}

describe('any interleaving of text, reasoning, refusals and calls', () => {
  it('comes out as blocks one behind the other, with nothing lost', () => {
    fc.assert(
      fc.property(scripts, ({ steps, calls }) => {
        const blocks = run(steps)
        for (const as of ['text', 'reasoning', 'refusal'] as const) {
          const texts = blocks.filter(({ block }) => block.type === as).map(({ text }) => text)
          expect(texts.join('')).toBe(textsOf(steps, as))
        }
        expect(blocks.flatMap(({ sealed }) => (sealed === undefined ? [] : [sealed.value]))).toEqual(sealsOf(steps))
        const found = blocks.flatMap(({ block, text }) =>
          block.type === 'tool-call' ? [{ name: block.name, text }] : [],
        )
        const expected = calls.map(({ name, text }) => ({ name, text }))
        expect(found.toSorted(byName)).toEqual(expected)
        const ids = blocks.flatMap(({ block }) => (block.type === 'tool-call' ? [block.id] : []))
        expect(new Set(ids).size).toBe(calls.length)
      }),
      { numRuns },
    )
  })

  it('may break off anywhere: each call is there as far as it came, and only incomplete ones are marked', () => {
    fc.assert(
      fc.property(scripts, fc.nat(), ({ steps }, at) => {
        const begun = steps.slice(0, at % (steps.length + 1))
        const blocks = run(begun, CUT)
        const named = new Map<string, string>()
        const texts = new Map<string, string>()
        for (const step of begun) {
          if (step.type !== 'tool') continue
          const { key, name, arguments: text } = step.piece
          if (name !== undefined && name !== '') named.set(key, name)
          texts.set(key, (texts.get(key) ?? '') + text)
        }
        const expected = [...named].map(([key, name]) => {
          const text = texts.get(key) ?? ''
          return { name, text, isCut: parseJson(text) === undefined }
        })
        const found = blocks.flatMap(({ block, text, isCut }) =>
          block.type === 'tool-call' ? [{ name: block.name, text, isCut }] : [],
        )
        expect(found.toSorted(byName)).toEqual(expected.toSorted(byName))
        expect(sealsOf(begun)).toEqual(blocks.flatMap(({ sealed }) => (sealed === undefined ? [] : [sealed.value])))
      }),
      { numRuns },
    )
  })
})

function byName(left: { name: string }, right: { name: string }): number {
  return left.name < right.name ? -1 : 1
}

describe('text and reasoning', () => {
  it('opens nothing for empty text', () => {
    expect(run([says('text', ''), says('reasoning', '')])).toEqual([])
  })

  it('opens a new block each time the type changes', () => {
    const steps = [says('reasoning', 'a'), says('reasoning', 'b'), says('text', 'c'), says('reasoning', 'd')]
    expect(shown(run(steps))).toEqual(['reasoning: ab', 'text: c', 'reasoning: d'])
  })

  it('goes out at once while no call waits', () => {
    const blocks = sequencer()
    expect(blocks.plain('text', 'a')).toEqual([
      { type: 'open', choice: 0, block: { type: 'text' } },
      { type: 'delta', choice: 0, text: 'a' },
    ])
    expect(blocks.plain('text', 'b')).toEqual([{ type: 'delta', choice: 0, text: 'b' }])
  })

  it('that came in the middle of a call comes behind it, with its seal', () => {
    const steps = [
      piece('a', { id: 'a', name: 'x', arguments: '{"q"' }),
      says('reasoning', 'why', seal('s')),
      says('reasoning', 'more'),
      piece('a', { arguments: ':1}' }),
    ]
    expect(shown(run(steps))).toEqual(['x#a: {"q":1}', 'reasoning: why [s]', 'reasoning: more'])
  })

  it('is refused where it changes its type without end in the middle of a call', () => {
    const blocks = sequencer()
    take(blocks, piece('a', { name: 'x', arguments: '{' }))
    expect(() => {
      for (let count = 0; count < 20_000; count++) blocks.plain(count % 2 === 0 ? 'text' : 'reasoning', 'x')
    }).toThrow(expect.objectContaining({ kind: 'too_large' }) as Error)
  })

  it('closes nothing where nothing is open', () => {
    expect(sequencer().close(seal('s'))).toEqual([])
  })
})

describe('tool calls', () => {
  it('streams the live call and keeps the others until it is closed', () => {
    const blocks = sequencer()
    expect(take(blocks, piece('a', { id: 'a', name: 'x', arguments: '{' }))).toHaveLength(2)
    expect(take(blocks, piece('b', { id: 'b', name: 'y', arguments: '{}' }))).toEqual([])
    expect(take(blocks, piece('a', { arguments: '}' }))).toEqual([{ type: 'delta', choice: 0, text: '}' }])
    expect(blocks.end(WHOLE).map(({ type }) => type)).toEqual(['close', 'open', 'delta', 'close'])
  })

  it('makes room for what follows once the live call is complete', () => {
    const blocks = sequencer()
    take(blocks, piece('a', { id: 'a', name: 'x', arguments: '{' }))
    take(blocks, piece('a', { arguments: '}' }))
    const parts = take(blocks, piece('b', { id: 'b', name: 'y', arguments: '{"' }))
    expect(parts.map(({ type }) => type)).toEqual(['close', 'open', 'delta'])
    take(blocks, piece('b', { arguments: '":1}' }))
    expect(blocks.plain('text', 'done').map(({ type }) => type)).toEqual(['close', 'open', 'delta'])
  })

  it('closes a call at once that comes complete in one piece', () => {
    const parts = take(sequencer(), piece('a', { id: 'a', name: 'x', arguments: '{}' }))
    expect(parts.map(({ type }) => type)).toEqual(['open', 'delta', 'close'])
  })

  it('closes the text before it', () => {
    expect(shown(run([says('text', 'a'), piece('a', { id: 'i', name: 'x' })]))).toEqual(['text: a', 'x#i: '])
  })

  it('needs no arguments', () => {
    expect(shown(run([piece('a', { id: 'i', name: 'x' }), piece('b', { id: 'j', name: 'y' })]))).toEqual([
      'x#i: ',
      'y#j: ',
    ])
  })

  it('waits for a name that comes late, and shows it at once then', () => {
    const blocks = sequencer()
    expect(take(blocks, piece('a', { id: 'i', arguments: '{' }))).toEqual([])
    const parts = take(blocks, piece('a', { name: 'x', arguments: '}' }))
    expect(parts).toMatchObject([
      { type: 'open', block: { type: 'tool-call', id: 'i', name: 'x' } },
      { type: 'delta', text: '{}' },
      { type: 'close' },
    ])
  })

  it('keeps the first name that is not empty', () => {
    const steps = [
      piece('a', { id: 'i', name: '' }),
      piece('a', { name: 'x' }),
      piece('a', { name: '', arguments: '{}' }),
    ]
    expect(shown(run(steps))).toEqual(['x#i: {}'])
  })

  it('gives an id to a call that has none, and to one that has the id of another', () => {
    const steps = [
      piece('a', { name: 'x', arguments: '{}' }),
      piece('b', { id: '', name: 'y', arguments: '{}' }),
      piece('c', { id: 'same', name: 'z', arguments: '{}' }),
      piece('d', { id: 'same', name: 'z', arguments: '{}' }),
    ]
    expect(shown(run(steps))).toEqual(['x#made_0: {}', 'y#made_1: {}', 'z#same: {}', 'z#made_2: {}'])
  })

  it('fails the answer where a call with arguments never gets a name', () => {
    expect(() => run([piece('a', { id: 'i', arguments: '{}' })])).toThrow(
      expect.objectContaining({ kind: 'malformed' }) as Error,
    )
  })

  it('leaves out a call without a name where the answer was cut, and keeps the ones behind it', () => {
    const steps = [piece('a', { id: 'i', arguments: '{}' }), piece('b', { id: 'j', name: 'y', arguments: '{}' })]
    expect(shown(run(steps, CUT))).toEqual(['y#j: {}'])
  })

  it('leaves out a piece that says nothing at all', () => {
    expect(shown(run([says('text', 'a'), piece('a'), says('text', 'b')]))).toEqual(['text: ab'])
  })

  it('marks a call that was cut off by the length, and no complete one', () => {
    const steps = [
      piece('a', { id: 'i', name: 'x', arguments: '{}' }),
      piece('b', { id: 'j', name: 'y', arguments: '{"a":"}' }),
    ]
    expect(shown(run(steps, CUT))).toEqual(['x#i: {}', 'y#j: {"a":"} (cut)'])
    expect(shown(run([piece('a', { id: 'i', name: 'x', arguments: '{}{"a"' })], CUT))).toEqual(['x#i: {}{"a" (cut)'])
  })

  it('adds pieces of one key to one call, whatever they repeat', () => {
    const again = { id: 'i', name: 'x' }
    const steps = ['{"a"', ':', '1}'].map((text) => piece('a', { ...again, arguments: text }))
    expect(shown(run(steps))).toEqual(['x#i: {"a":1}'])
  })

  it('takes no more from a call that is closed', () => {
    const steps = [
      piece('a', { id: 'i', name: 'x', arguments: '{}' }),
      says('text', 'b'),
      piece('a', { name: 'x', arguments: '\n' }),
      says('text', 'c'),
    ]
    expect(shown(run(steps))).toEqual(['x#i: {}', 'text: bc'])
  })

  it('carries a seal that comes with the call, before or behind its name', () => {
    const early = [piece('a', { id: 'i', name: 'x', sealed: seal('early') })]
    const late = [
      piece('a', { id: 'i', name: 'x', arguments: '{' }),
      piece('a', { arguments: '}', sealed: seal('late') }),
    ]
    expect(shown(run(early))).toEqual(['x#i:  [early]'])
    expect(shown(run(late))).toEqual(['x#i: {} [late]'])
  })

  it('says whether any call was begun', () => {
    const blocks = sequencer()
    blocks.plain('text', 'a')
    expect(blocks.hasToolCalls).toBe(false)
    take(blocks, piece('a', { name: 'x' }))
    expect(blocks.hasToolCalls).toBe(true)
  })

  it('are too many beyond the bound', () => {
    const blocks = sequencer()
    expect(() => {
      for (let count = 0; count < 600; count++) take(blocks, piece(String(count), { name: 'x', arguments: '{}' }))
    }).toThrow(expect.objectContaining({ kind: 'too_large' }) as Error)
  })

  it('looks at each piece as often however many calls wait', () => {
    const looksFor = (calls: number): number => {
      const blocks = sequencer()
      let looks = 0
      const counted = (key: string, text: string): ToolPiece => ({
        get key() {
          looks += 1
          return key
        },
        id: key,
        name: 'x',
        arguments: text,
      })
      for (let call = 0; call < calls; call++) blocks.tool(counted(String(call), '{"a":"'))
      looks = 0
      for (let count = 0; count < 5000; count++) blocks.tool(counted(String(count % calls), 'xxxx'))
      return looks
    }
    expect(looksFor(500)).toBe(looksFor(5))
  })

  it('gives as many parts for thousands of pieces as there are pieces', () => {
    const blocks = sequencer()
    let parts = take(blocks, piece('a', { name: 'x', arguments: '{"a":"' })).length
    for (let count = 0; count < 50_000; count++) {
      parts += take(blocks, piece('a', { arguments: 'x' })).length + blocks.plain('text', 'y').length
    }
    expect(parts).toBe(50_002)
    expect(blocks.end(CUT).map(({ type }) => type)).toEqual(['close', 'open', 'delta', 'close'])
  })
})
