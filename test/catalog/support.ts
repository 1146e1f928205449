// What the tests of the administrator's actions share: a Farebox in this process, reached through its admin API.

import { expect } from 'vitest'
import { AdminError } from '#cli/client.ts'
import type { ProviderCreate } from '#contract/providers.ts'
import type { ModelCreate, PackageCreate } from '#contract/schemas.ts'

/** The refusal of a call that must be refused, in the form in which the API gives it. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ status: number; type: string; param: string | undefined }> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof AdminError)) throw error
    return { status: error.status, type: error.errorType, param: error.param }
  }
  return expect.fail('this should have been refused')
}

export const refused = {
  invalid: (param: string) => ({ status: 400, type: 'invalid_request_error', param }),
  notFound: { status: 404, type: 'not_found_error', param: undefined },
  conflict: (param?: string) => ({ status: 409, type: 'invalid_request_error', param }),
} as const

export function provider(name: string, more: Partial<ProviderCreate> = {}): ProviderCreate {
  return { name, dialect: 'chat-completions', base_url: 'https://api.example.com/v1', ...more }
}

export function model(id: string, more: Partial<ModelCreate> = {}): ModelCreate {
  return {
    id,
    context_window: 1000,
    max_output_tokens: 100,
    price: { input: 1, output: 2 },
    targets: [{ provider: 'main', model: `real-${id}` }],
    ...more,
  }
}

export function topup(name: string, more: Partial<PackageCreate> = {}): PackageCreate {
  return { name, type: 'topup', credits: 10, ...more }
}
