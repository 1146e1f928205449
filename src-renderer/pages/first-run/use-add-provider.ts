import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProviderTestResult } from '#contract/providers.ts'
import { callApi } from '#renderer/api/client.ts'

type ProviderInput = {
  readonly preset: string
  readonly name: string
  /** Undefined: as the preset says. */
  readonly baseUrl: string | undefined
  readonly network: 'public' | 'local'
  readonly secret: string | undefined
}

type Added = { readonly preset: string; readonly name: string }
export type Tested = { readonly name: string; readonly result: ProviderTestResult }

/** Adds a provider and tests it; after a test that failed, the same provider is given what was corrected. */
export function useAddProvider(onTested: (name: string) => void) {
  const queryClient = useQueryClient()
  const [added, setAdded] = useState<Added>()
  return useMutation<Tested, Error, ProviderInput>({
    // The secret is not to be kept beyond this page.
    gcTime: 0,
    mutationFn: async (input) => {
      const name = await keep(input, added)
      setAdded({ preset: input.preset, name })
      return { name, result: await callApi('testProvider', { id: name }) }
    },
    onSuccess: ({ name, result }) => {
      if (result.ok) onTested(name)
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['listProviders'] }),
  })
}

/** The name under which it is kept. */
async function keep(input: ProviderInput, added: Added | undefined): Promise<string> {
  const { preset, baseUrl, network, secret } = input
  const place = baseUrl === undefined ? {} : { base_url: baseUrl, network }
  if (added?.preset !== preset) {
    const body = { name: input.name, preset, ...place, ...(secret === undefined ? {} : { secret }) }
    return (await callApi('addProvider', { body })).name
  }
  // The place first: a secret that was given for another one is dropped with it.
  if (baseUrl !== undefined) await callApi('editProvider', { id: added.name, body: place })
  if (secret !== undefined) await callApi('setProviderSecret', { id: added.name, body: { secret } })
  return added.name
}
