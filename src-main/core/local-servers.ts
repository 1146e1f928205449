// Model servers that people run on their own machine, and what can be learnt about one that runs.

import type { ModelKind } from '#core/entities.ts'

type KnownServer = { readonly displayName: string; readonly ports: readonly [number, ...number[]] }

/**
 * By the id of the preset that a provider made from one gets, with the ports that each listens on unless told otherwise.
 * llama.cpp's server announces 9931 as its next one.
 */
export const LOCAL_SERVERS = {
  ollama: { displayName: 'Ollama', ports: [11_434] },
  'lm-studio': { displayName: 'LM Studio', ports: [1234] },
  'llama-cpp': { displayName: 'llama.cpp', ports: [8080, 9931] },
  vllm: { displayName: 'vLLM', ports: [8000] },
} as const satisfies Record<string, KnownServer>

export type LocalServerId = keyof typeof LOCAL_SERVERS

export const LOCAL_SERVER_IDS = ['ollama', 'lm-studio', 'llama-cpp', 'vllm'] as const satisfies LocalServerId[]

export type LocalModel = {
  /** The name that the server understands. */
  readonly name: string
  readonly kind: ModelKind
  /** Whether only its name says so. */
  readonly isKindGuessed: boolean
  /** In tokens; undefined where the server does not say what a request may use. */
  readonly contextWindow: number | undefined
}

/** What stands at the place where a server was looked for. `needs-key`: it is there, and asks for a secret. */
export type LocalServer = {
  readonly id: LocalServerId
  readonly port: number
  readonly state: 'found' | 'needs-key' | 'not-found'
  readonly version: string | undefined
  readonly models: readonly LocalModel[]
}

/** Where such a server takes chat completions. */
export function localBaseUrl(port: number): string {
  return `http://127.0.0.1:${port}/v1`
}
