// The promises at the head of part.ts as a check: what every reader of a provider's dialect has to keep.

import { expect } from 'vitest'
import type { AnswerPart, Block } from '#dialect/part.ts'

type Choice = {
  open: { readonly block: Block; text: string; hasCitation: boolean } | undefined
  hasText: boolean
  isFinished: boolean
}

/**
 * Fails the test where the parts of a complete answer break a promise. Whether the arguments of a tool call are valid JSON
 * is the model's doing and not looked at.
 */
export function checkPartOrder(parts: readonly AnswerPart[]): void {
  const choices = new Map<number, Choice>()
  for (const [index, part] of parts.entries()) {
    const fail = (text: string) => expect.fail(`part ${index}: ${text}\n${JSON.stringify(parts.slice(0, index + 1))}`)
    if ((part.type === 'start') !== (index === 0)) fail('`start` comes first and once')
    if (part.type === 'start' || part.type === 'usage') continue
    if (!Number.isSafeInteger(part.choice) || part.choice < 0) fail(`there is no choice ${part.choice}`)
    const choice = choices.get(part.choice) ?? { open: undefined, hasText: false, isFinished: false }
    choices.set(part.choice, choice)
    const problem = step(choice, part)
    if (problem !== undefined) fail(problem)
  }
  if (parts.length === 0) expect.fail('an answer has at least its start')
  for (const [number, { open, isFinished }] of choices) {
    if (open !== undefined) expect.fail(`the ${open.block.type} block of choice ${number} is never closed`)
    if (!isFinished) expect.fail(`choice ${number} has no finish`)
  }
}

function step(choice: Choice, part: Exclude<AnswerPart, { type: 'start' | 'usage' }>): string | undefined {
  const { open } = choice
  switch (part.type) {
    case 'open':
      if (choice.isFinished) return 'a block is opened behind the finish'
      if (open !== undefined) return `a ${part.block.type} block is opened while a ${open.block.type} block is open`
      if (part.block.type === 'tool-call' && (part.block.id === '' || part.block.name === '')) {
        return 'a tool call has no id or no name'
      }
      choice.open = { block: part.block, text: '', hasCitation: false }
      if (part.block.type === 'text') choice.hasText = true
      return undefined
    case 'delta':
      if (open === undefined) return 'a delta has no open block'
      open.text += part.text
      return undefined
    case 'close':
      if (open === undefined) return 'nothing is open that could be closed'
      choice.open = undefined
      if (part.isCut === true && open.block.type !== 'tool-call') return `a ${open.block.type} block is marked as cut`
      if (open.block.type === 'tool-call' || open.text !== '' || open.hasCitation) return undefined
      return open.block.type === 'reasoning' && part.sealed !== undefined
        ? undefined
        : `a ${open.block.type} block is empty`
    case 'citation':
      if (!choice.hasText) return 'a citation has no text that refers to it'
      if (open?.block.type === 'text') open.hasCitation = true
      return undefined
    case 'finish':
      if (open !== undefined) return `the choice finishes while a ${open.block.type} block is open`
      if (choice.isFinished) return 'the choice finishes twice'
      choice.isFinished = true
      return undefined
  }
}
