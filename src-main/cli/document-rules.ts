// What a farebox.yaml must keep to beyond the shapes of the contract, as far as the file alone can tell.

import { isTimeZone } from '#core/cycle.ts'
import { creditsToMicro, unitCreditsToMicro } from '#core/money.ts'
import type { FileDocument, ModelCreate, PackageCreate } from '#contract/schemas.ts'
import type { Problem } from '#contract/validate.ts'

/** Everything that breaks a rule in a document whose shapes are right. */
export function documentProblems(document: FileDocument): Problem[] {
  const { providers = [], models = [], packages = [] } = document
  return [
    ...repeatedNames(
      'providers',
      'name',
      providers.map(({ name }) => name),
    ),
    ...repeatedNames(
      'models',
      'id',
      models.map(({ id }) => id),
    ),
    ...repeatedNames(
      'packages',
      'name',
      packages.map(({ name }) => name),
    ),
    ...models.flatMap((model, index) => priceProblems(model, ['models', index, 'price'])),
    ...packages.flatMap((entry, index) => packageProblems(entry, ['packages', index])),
  ]
}

function repeatedNames(list: string, member: string, names: readonly string[]): Problem[] {
  const firstIndex = new Map<string, number>()
  const problems: Problem[] = []
  for (const [index, name] of names.entries()) {
    const first = firstIndex.get(name)
    if (first === undefined) firstIndex.set(name, index)
    else problems.push({ path: [list, index, member], message: `is the same as ${list}.${first}.${member}` })
  }
  return problems
}

function priceProblems(model: ModelCreate, path: Problem['path']): Problem[] {
  const { kind = 'chat', price } = model
  if (price === undefined) return []
  const isIncomplete = kind === 'chat' && price.output === undefined
  const missing = isIncomplete ? [{ path: [...path, 'output'], message: 'is required' }] : []
  return [...missing, ...amountProblems(price, path)]
}

/** Every amount in a price, however deep it stands. */
function amountProblems(amount: unknown, path: Problem['path']): Problem[] {
  if (typeof amount === 'number') {
    if (path.at(-2) !== 'units') return creditsProblems(amount, path)
    return unitCreditsToMicro(amount) === undefined ? [{ path, message: 'must have at most twelve decimals' }] : []
  }
  if (typeof amount !== 'object' || amount === null) return []
  return Object.entries(amount).flatMap(([name, inner]) => amountProblems(inner, [...path, name]))
}

function packageProblems(entry: PackageCreate, path: Problem['path']): Problem[] {
  const problems = creditsProblems(entry.credits, [...path, 'credits'])
  if (entry.timezone === undefined || isTimeZone(entry.timezone)) return problems
  return [...problems, { path: [...path, 'timezone'], message: 'is not a known time zone, such as Europe/Berlin' }]
}

function creditsProblems(credits: number | undefined, path: Problem['path']): Problem[] {
  if (credits === undefined || creditsToMicro(credits) !== undefined) return []
  return [{ path, message: 'must have at most six decimals' }]
}
