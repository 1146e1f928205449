// What is said of the project or workspace that Farebox should have for itself at a provider.

import { printable } from '#cli/output.ts'
import type { BillSecretView, OwnProject } from '#contract/bills.ts'

/** Keys that are named. */
const MAX_KEYS = 10

/** What is left to do, so that nobody else is in the numbers. */
export function ownProjectHow({ provider, has_reports: hasReports }: BillSecretView): string[] {
  if (!hasReports) return []
  const name = printable(provider)
  return [
    '',
    'Give Farebox a project (OpenAI) or workspace (Anthropic) of its own, so that nobody else is in its bill; of',
    'OpenRouter, a key of its own, whose hash --account-keys names:',
    '  1. Make one in the console of the provider, and in it one key.',
    `  2. Give that key to Farebox for its calls: farebox provider secret ${name} --secret-stdin`,
    `  3. Run this again with --project ID, which says whether the key is alone in it.`,
    `  4. Keep its reports: farebox bills check ${name} --project ID --keep`,
  ]
}

/** Whose keys are in it, and what to do where not only ours are. */
export function ownProjectText(
  { problem, keys, has_more: hasMore }: OwnProject,
  { provider }: BillSecretView,
  project = '',
): string[] {
  if (problem !== null) return [printable(problem)]
  const check = `farebox bills check ${printable(provider)} --project ${project} --keep`
  const [first] = keys
  if (first === undefined) return [`No key is in ${project}: make the key there that calls go with.`]
  const named = keys.slice(0, MAX_KEYS).map(({ id, name }) => `${printable(name)} (${printable(id)})`)
  const rest = keys.length > MAX_KEYS || hasMore ? ' and others' : ''
  const ours = keys.filter(({ is_ours: isOurs }) => isOurs === true)
  if (keys.every(({ is_ours: isOurs }) => isOurs === false) && !hasMore) {
    return [
      `In ${project}: ${named.join(', ')}${rest}. Calls go with none of them:`,
      `give Farebox a key of that project with 'farebox provider secret ${printable(provider)}'.`,
    ]
  }
  if (keys.length === 1 && !hasMore) {
    const whose = ours.length === 1 ? 'with which calls go' : 'which should be the one that calls go with'
    return [`${project} has one key, ${named.join('')}, ${whose}. Keep its reports: ${check}`]
  }
  const accounts = ours.length > 0 ? ours.map(({ id }) => printable(id)).join() : 'KEY_ID,...'
  return [
    `${project} is not Farebox's alone: ${named.join(', ')}${rest}.`,
    `Make one for Farebox, or name its own key: ${check} --account-keys ${accounts}`,
  ]
}
