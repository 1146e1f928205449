// Logs of tools as they are written, made of numbers that are the same in every run.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { JsonObject } from '#dialect/turn.ts'

export function writeLog(home: string, path: string, lines: readonly (JsonObject | string)[]): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
  return file
}

export type ClaudeUsage = {
  readonly input: number
  readonly output: number
  readonly read?: number
  readonly written?: number
  readonly hourly?: number
}

type Claude = {
  readonly id?: string | undefined
  readonly requestId?: string
  readonly at: string
  readonly model?: string
  readonly cwd?: string
}

export function claudeLine(
  { id, requestId, at, model = 'claude-opus-4-6', cwd = '/home/ada/work/farebox' }: Claude,
  { input, output, read = 0, written = 0, hourly = 0 }: ClaudeUsage,
): JsonObject {
  const usage = {
    input_tokens: input,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    cache_creation: { ephemeral_1h_input_tokens: hourly, ephemeral_5m_input_tokens: written - hourly },
    output_tokens: output,
    service_tier: 'standard',
  }
  const content = [{ type: 'text', text: 'A secret sentence of the conversation.' }]
  return {
    type: 'assistant',
    cwd,
    timestamp: at,
    sessionId: 's',
    requestId,
    message: { id, role: 'assistant', model, content, usage },
  }
}

export type CodexSums = { readonly input: number; readonly cached: number; readonly output: number }

export function codexHead(id: string, at: string, forkedFrom?: string): JsonObject {
  const payload = { id, cwd: '/home/ada/work/api', ...(forkedFrom !== undefined && { forked_from_id: forkedFrom }) }
  return { timestamp: at, type: 'session_meta', payload }
}

export function codexTurn(model: string, at: string): JsonObject {
  return { timestamp: at, type: 'turn_context', payload: { model, cwd: '/home/ada/work/api' } }
}

export function codexCount(at: string, total: CodexSums, last: CodexSums = total): JsonObject {
  const of = ({ input, cached, output }: CodexSums) => ({
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: output,
    reasoning_output_tokens: 0,
    total_tokens: input + output,
  })
  const info = { total_token_usage: of(total), last_token_usage: of(last) }
  return { timestamp: at, type: 'event_msg', payload: { type: 'token_count', info, rate_limits: null } }
}

export type GeminiTokens = {
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly thoughts: number
  readonly tool: number
}

export function geminiLine(id: string, at: string, tokens: GeminiTokens): JsonObject {
  return { id, timestamp: at, type: 'gemini', model: 'gemini-3.1-pro-preview', content: 'text', tokens }
}
