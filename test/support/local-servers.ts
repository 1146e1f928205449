// Ollama, LM Studio, llama.cpp and vLLM as far as the search for them asks, in the forms that their documentation shows.

import type { Answering, Reply } from './small-servers.ts'

const NOT_FOUND: Reply = { status: 404, text: '404 page not found' }

export type OllamaModel = {
  readonly name: string
  readonly contextLength?: number
  readonly parameters?: string
  readonly capabilities?: readonly string[]
  readonly remoteHost?: string
}

export function ollama(models: readonly OllamaModel[]): Answering {
  return ({ method, path, text }) => {
    if (method === 'GET' && path === '/api/version') return { json: { version: '0.12.6' } }
    if (method === 'GET' && path === '/api/tags') {
      const listed = models.map(({ name, remoteHost }) => ({
        name,
        model: name,
        size: 1,
        digest: 'abc',
        details: { family: 'llama' },
        ...(remoteHost === undefined ? {} : { remote_host: remoteHost }),
      }))
      return { json: { models: listed } }
    }
    if (method === 'POST' && path === '/api/show') {
      const model = models.find(({ name }) => name === (JSON.parse(text) as { model: string }).model)
      if (model === undefined) return { status: 404, json: { error: 'model not found' } }
      const size = model.contextLength === undefined ? {} : { 'llama.context_length': model.contextLength }
      return {
        json: {
          license: 'x'.repeat(20_000),
          parameters: model.parameters ?? '',
          model_info: { 'general.architecture': 'llama', ...size },
          ...(model.capabilities === undefined ? {} : { capabilities: model.capabilities }),
        },
      }
    }
    return NOT_FOUND
  }
}

/** It answers 200 at paths that it does not know. */
const UNEXPECTED: Reply = { json: { error: 'Unexpected endpoint or method.' } }

export function lmStudio(models: readonly object[]): Answering {
  return ({ path }) => (path === '/api/v0/models' ? { json: { object: 'list', data: models } } : UNEXPECTED)
}

/** One that has only the native API of version 1. */
export function newerLmStudio(models: readonly object[]): Answering {
  return ({ path }) => (path === '/api/v1/models' ? { json: { models } } : UNEXPECTED)
}

export function lockedLmStudio(): Answering {
  return () => ({
    status: 401,
    json: {
      error: { type: 'invalid_request', code: 'invalid_api_key', message: 'An LM Studio API token is required.' },
    },
  })
}

export function llamaCpp(options: {
  readonly nCtx: number
  readonly isLocked?: true
  readonly meta?: object
  /** The status with which it answers a request for embeddings of nothing. */
  readonly embeddings?: number
}): Answering {
  const meta = options.meta ?? { n_ctx_train: 131_072, n_params: 1 }
  return ({ path }) => {
    if (path === '/health') return { json: { status: 'ok' } }
    if (path === '/v1/models') {
      const data = [{ id: 'qwen3-8b.gguf', object: 'model', owned_by: 'llamacpp', created: 1, meta }]
      return { json: { object: 'list', data } }
    }
    if (path === '/v1/embeddings' && options.embeddings !== undefined) {
      return { status: options.embeddings, json: { error: { code: options.embeddings, message: 'm', type: 't' } } }
    }
    if (path !== '/props') return NOT_FOUND
    if (options.isLocked === true) return { status: 401, json: { error: { code: 401, type: 'authentication_error' } } }
    return {
      json: { default_generation_settings: { n_ctx: options.nCtx }, total_slots: 1, build_info: 'b5002-2c3f8b85' },
    }
  }
}

/** What a router's model is: its name, what it is started with, and what it says once it is loaded. */
export type RoutedModel = {
  readonly id: string
  readonly args?: readonly string[]
  readonly meta?: object
}

const ROUTED: readonly RoutedModel[] = [
  { id: 'loaded', args: ['llama-server', '--ctx-size', '4096'], meta: { n_ctx: 3072, n_ctx_train: 131_072 } },
  { id: 'sized', args: ['llama-server', '--ctx-size', '512', '-c', '8192', '--alias', 'sized'] },
  { id: 'shared', args: ['llama-server', '-c', '8192', '--parallel', '4'] },
  { id: 'vectors', args: ['llama-server', '--embeddings', '--ctx-size', '0'] },
  { id: 'embed-by-name' },
]

/** One that loads models when they are asked for; what is not loaded has no `meta`. */
export function llamaCppRouter(models: readonly RoutedModel[] = ROUTED): Answering {
  return ({ path }) => {
    if (path === '/health') return { json: { status: 'ok' } }
    if (path === '/props') {
      return { json: { role: 'router', default_generation_settings: { n_ctx: 0 }, build_info: 'b10434-abc' } }
    }
    if (path !== '/v1/models') return NOT_FOUND
    const data = models.map(({ id, args, meta }) => ({
      id,
      object: 'model',
      owned_by: 'llamacpp',
      created: 1,
      status: { value: meta === undefined ? 'unloaded' : 'loaded', ...(args === undefined ? {} : { args }) },
      ...(meta === undefined ? {} : { meta }),
    }))
    return { json: { object: 'list', data } }
  }
}

export function vllm(options: { readonly isLocked?: true } = {}): Answering {
  return ({ path }) => {
    if (path === '/version') return { json: { version: '0.11.0' } }
    if (path !== '/v1/models') return NOT_FOUND
    if (options.isLocked === true) return { status: 401, json: { error: 'Unauthorized' } }
    const base = { id: 'Qwen/Qwen3-8B', object: 'model', owned_by: 'vllm', parent: null, max_model_len: 40_960 }
    const adapter = { id: 'sql-lora', object: 'model', owned_by: 'vllm', parent: 'Qwen/Qwen3-8B', max_model_len: null }
    return { json: { object: 'list', data: [base, adapter] } }
  }
}
