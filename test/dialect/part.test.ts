import { describe, expect, it } from 'vitest'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { foldParts, type AnswerPart, type Block } from '#dialect/part.ts'
import { checkPartOrder } from './part-order.ts'

const START: AnswerPart = { type: 'start' }
const TEXT: Block = { type: 'text' }
const CALL: Block = { type: 'tool-call', id: 'i', name: 'x', kind: 'function' }

function open(block: Block, choice = 0): AnswerPart {
  return { type: 'open', choice, block }
}

function delta(text: string, choice = 0): AnswerPart {
  return { type: 'delta', choice, text }
}

function close(choice = 0): AnswerPart {
  return { type: 'close', choice }
}

function finish(choice = 0): AnswerPart {
  return { type: 'finish', choice, reason: 'stop' }
}

function citation(url: string): AnswerPart {
  return { type: 'citation', choice: 0, url, title: undefined }
}

describe('parts that are added up', () => {
  it('give blocks with their whole texts, seals, cuts and citations', () => {
    const sealed = { origin: 'gemini', value: 's' } as const
    const { choices } = foldParts([
      START,
      open(TEXT),
      delta('a'),
      citation('https://in'),
      delta('b'),
      close(),
      citation('https://behind'),
      open({ ...CALL, sealed }),
      delta('{'),
      { type: 'close', choice: 0, isCut: true },
      open({ type: 'reasoning' }),
      { type: 'close', choice: 0, sealed },
      { type: 'finish', choice: 0, reason: 'stop-sequence', stopSequence: 'END' },
    ])
    expect(choices).toMatchObject([
      {
        finish: 'stop-sequence',
        stopSequence: 'END',
        blocks: [
          {
            text: 'ab',
            isCut: false,
            sealed: undefined,
            citations: [{ url: 'https://in' }, { url: 'https://behind' }],
          },
          { text: '{', isCut: true, sealed },
          { text: '', isCut: false, sealed },
        ],
      },
    ])
  })

  it('keep a seal of the opening where the close has none, and take the later one', () => {
    const [early, late] = (['early', 'late'] as const).map((value) => ({ origin: 'gemini', value }) as const)
    const foldOf = (end: AnswerPart) =>
      foldParts([START, open({ ...CALL, sealed: early }), end]).choices[0]?.blocks[0]?.sealed
    expect(foldOf(close())).toEqual(early)
    expect(foldOf({ type: 'close', choice: 0, sealed: late })).toEqual(late)
  })

  it('give the choices by their numbers, however they came, and leave none empty between them', () => {
    const parts = [START, open(TEXT, 7), delta('seven', 7), open(TEXT, 1), delta('one', 1), close(7), close(1)]
    expect(foldParts(parts).choices.map(({ blocks }) => blocks[0]?.text)).toEqual(['one', 'seven'])
  })

  it('give them at once where a provider numbers them without sense', () => {
    const parts = [START, finish(4_000_000_000), finish(0), finish(4_294_967_296)]
    expect(foldParts(parts).choices).toHaveLength(3)
  })

  it('give the last usage, and an unknown one where none came', () => {
    const usage = { ...UNKNOWN_USAGE, outputTokens: 3 }
    expect(foldParts([START]).usage).toEqual(UNKNOWN_USAGE)
    expect(foldParts([START, { type: 'usage', usage: UNKNOWN_USAGE }, { type: 'usage', usage }]).usage).toEqual(usage)
  })

  it('are not confused by a piece of a block that nobody opened', () => {
    expect(foldParts([START, delta('x'), close(), citation('https://a'), finish()]).choices).toMatchObject([
      { blocks: [] },
    ])
  })
})

describe('the check of their order', () => {
  it.each<readonly [string, readonly AnswerPart[]]>([
    ['an empty answer', [START, finish()]],
    ['text', [START, open(TEXT), delta('a'), close(), finish()]],
    ['a call without arguments', [START, open(CALL), close(), finish()]],
    [
      'usage anywhere',
      [START, { type: 'usage', usage: UNKNOWN_USAGE }, finish(), { type: 'usage', usage: UNKNOWN_USAGE }],
    ],
    [
      'two choices at once',
      [START, open(TEXT, 0), open(TEXT, 1), delta('b', 1), delta('a'), close(), close(1), finish(1), finish()],
    ],
  ])('accepts %s', (_, parts) => {
    expect(() => checkPartOrder(parts)).not.toThrow()
  })

  it.each<readonly [string, readonly AnswerPart[]]>([
    ['nothing', []],
    ['no start', [finish()]],
    ['a second start', [START, START, finish()]],
    ['a late start', [open(TEXT), START]],
    ['two open blocks', [START, open(TEXT), delta('a'), open(CALL), close(), close(), finish()]],
    ['a block that is not closed', [START, open(TEXT), delta('a'), finish()]],
    ['a delta without a block', [START, delta('a'), finish()]],
    ['a close without a block', [START, close(), finish()]],
    ['an empty text', [START, open(TEXT), close(), finish()]],
    ['reasoning without text or seal', [START, open({ type: 'reasoning' }), close(), finish()]],
    ['a call without a name', [START, open({ ...CALL, name: '' }), close(), finish()]],
    ['a cut text', [START, open(TEXT), delta('a'), { type: 'close', choice: 0, isCut: true }, finish()]],
    ['no finish', [START, open(TEXT), delta('a'), close()]],
    ['two finishes', [START, finish(), finish()]],
    ['a block behind the finish', [START, finish(), open(TEXT), delta('a'), close()]],
    ['a citation of nothing', [START, citation('https://a'), finish()]],
    ['a choice below 0', [START, finish(-1)]],
  ])('rejects %s', (_, parts) => {
    expect(() => checkPartOrder(parts)).toThrow()
  })
})
