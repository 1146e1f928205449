// Test requests in the formats that clients speak: what is sent, out of a few fields.

import type { CLIENT_FORMATS } from '#contract/dialects.ts'
import type { TryBody } from '#contract/reports.ts'
import { stepMessages, toolsMember, type Tool, type ToolStep } from '#renderer/data/try-tools.ts'

export type Format = (typeof CLIENT_FORMATS)[number]

/** Where a client would send it. */
export const PATHS = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
  gemini: '/v1beta/models/{model}:generateContent',
  embeddings: '/v1/embeddings',
  'gemini-embeddings': '/v1beta/models/{model}:embedContent',
} as const satisfies Record<Format, string>

/** Whether a format asks for embeddings, which models of another kind make. */
export function isEmbedding(format: Format): boolean {
  return format === 'embeddings' || format === 'gemini-embeddings'
}

/** An image as its bytes in base64. */
export type TryImage = { readonly mediaType: string; readonly data: string }
/** What somebody asked, and what a model answered; without an answer it is the last one. */
export type Turn = {
  readonly prompt: string
  readonly image: TryImage | undefined
  /** What the model called before it answered. */
  readonly steps: readonly ToolStep[]
  readonly answer: string | undefined
}

export type RequestFields = {
  readonly format: Format
  readonly model: string
  /** Empty for none. */
  readonly system: string
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly isStream: boolean
  /** In tokens. */
  readonly outputCap: number
}

export function requestOf(fields: RequestFields): TryBody['request'] {
  const { format, model, system, turns, tools, isStream, outputCap } = fields
  const options = { ...toolsMember(format, tools), ...(isStream ? { stream: true } : {}) }
  const prompt = turns.at(-1)?.prompt ?? ''
  switch (format) {
    case 'chat':
      return {
        model,
        messages: [
          ...(system === '' ? [] : [{ role: 'system', content: system }]),
          ...said(format, turns, chatContent),
        ],
        max_tokens: outputCap,
        ...options,
        ...(isStream ? { stream_options: { include_usage: true } } : {}),
      }
    case 'messages':
      return {
        model,
        max_tokens: outputCap,
        ...(system === '' ? {} : { system }),
        messages: said(format, turns, messagesContent),
        ...options,
      }
    case 'responses':
      return {
        model,
        ...(system === '' ? {} : { instructions: system }),
        input: isPlain(turns) ? prompt : said(format, turns, responsesContent),
        max_output_tokens: outputCap,
        ...options,
      }
    case 'gemini':
      return {
        model,
        ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
        contents: turns.flatMap(geminiContents),
        generationConfig: { maxOutputTokens: outputCap },
        ...options,
      }
    case 'embeddings':
      return { model, input: prompt }
    case 'gemini-embeddings':
      return { model, content: { parts: [{ text: prompt }] } }
  }
}

/** Whether there is nothing but one question. */
function isPlain([first, ...rest]: readonly Turn[]): boolean {
  return rest.length === 0 && first !== undefined && first.image === undefined && first.steps.length === 0
}

/** Each turn as what the user said, what was called and given for it and, where there is one, what was answered. */
function said(format: Format, turns: readonly Turn[], contentOf: (turn: Turn) => unknown): object[] {
  return turns.flatMap((turn): object[] => [
    { role: 'user', content: contentOf(turn) },
    ...turn.steps.flatMap((step) => stepMessages(format, step)),
    ...(turn.answer === undefined ? [] : [{ role: 'assistant', content: turn.answer }]),
  ])
}

function chatContent({ prompt, image }: Turn): unknown {
  if (image === undefined) return prompt
  return [
    { type: 'text', text: prompt },
    { type: 'image_url', image_url: { url: dataUrl(image) } },
  ]
}

function messagesContent({ prompt, image }: Turn): unknown {
  if (image === undefined) return prompt
  const source = { type: 'base64', media_type: image.mediaType, data: image.data }
  return [
    { type: 'image', source },
    { type: 'text', text: prompt },
  ]
}

function responsesContent({ prompt, image }: Turn): unknown {
  if (image === undefined) return prompt
  return [
    { type: 'input_text', text: prompt },
    { type: 'input_image', image_url: dataUrl(image) },
  ]
}

function geminiContents({ prompt, image, steps, answer }: Turn): object[] {
  const inline = image && { inlineData: { mimeType: image.mediaType, data: image.data } }
  return [
    { role: 'user', parts: [{ text: prompt }, ...(inline === undefined ? [] : [inline])] },
    ...steps.flatMap((step) => stepMessages('gemini', step)),
    ...(answer === undefined ? [] : [{ role: 'model', parts: [{ text: answer }] }]),
  ]
}

function dataUrl({ mediaType, data }: TryImage): string {
  return `data:${mediaType};base64,${data}`
}

/** What was typed as JSON; undefined for what is no object. */
export function readRequest(text: string): TryBody['request'] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    // Somebody is still typing; the field says that this is no JSON object yet.
    return undefined
  }
}

function isObject(value: unknown): value is TryBody['request'] {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
