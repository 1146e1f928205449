import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { KeyCreated } from '#contract/schemas.ts'
import { ApiError, callApi } from '#renderer/api/client.ts'
import { readAmount } from '#renderer/data/amount-input.ts'
import { creditsText } from '#renderer/data/money.ts'
import { freeName } from '#renderer/data/preset-choice.ts'

/** Stands for a package that is still to be made; no name of a package may be empty. */
export const NEW_PACKAGE = ''

type KeyInput = {
  readonly name: string
  readonly packageName: string
  /** As typed; of the new package. */
  readonly credits: string
  /** The names of the packages that are there. */
  readonly packages: readonly string[]
}

/** Makes a key, and the package for it where one is wanted. */
export function useCreateKey(onCreated: (key: KeyCreated) => void) {
  const { t, i18n } = useTranslation('first-run')
  const queryClient = useQueryClient()
  return useMutation<KeyCreated, Error, KeyInput>({
    // The value of the key is not to be kept beyond this page.
    gcTime: 0,
    mutationFn: async ({ name, packageName, credits, packages }) => {
      const isNew = packageName === NEW_PACKAGE
      const body = { name: name.trim(), package: isNew ? await addPackage(credits, packages) : packageName }
      return callApi('createKey', { body })
    },
    onSuccess: onCreated,
    onSettled: () => queryClient.invalidateQueries(),
  })

  async function addPackage(typed: string, packages: readonly string[]): Promise<string> {
    const amount = readAmount(typed, i18n.language)
    if (amount.type !== 'amount') throw new ApiError(0, 'amount', t('key.noAmount'), { param: 'credits' })
    const credits = Number(creditsText(amount.micro))
    const name = freeName(t('key.packageName'), packages)
    return (await callApi('addPackage', { body: { name, type: 'monthly', credits } })).name
  }
}
