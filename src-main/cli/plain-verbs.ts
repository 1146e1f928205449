// The verbs that are all alike: those that print a list as a table, and those that ask for one action and say what came of it.

import type { FlagTable } from '#cli/flags.ts'
import { tableOf, view, type Columns } from '#cli/output.ts'
import { anyBody } from '#cli/request.ts'
import { verb, type Verb } from '#cli/verb.ts'
import type { CallInput, ResponseBody } from '#contract/admin-api.ts'
import type { AdminAction, AdminRoutes } from '#contract/admin-routes.ts'

type Said = Pick<Verb, 'name' | 'summary'>

type ListAction = {
  [Action in AdminAction]: ResponseBody<Action> extends readonly unknown[]
    ? AdminRoutes[Action] extends { readonly method: 'GET' }
      ? Action
      : never
    : never
}[AdminAction]
type Item<Action extends ListAction> = ResponseBody<Action> extends readonly (infer One)[] ? One : never

type List<Action extends ListAction> = Said & {
  readonly action: Action
  readonly columns: Columns<Item<Action>>
  readonly whenEmpty: string
}

/** A verb that prints all that an action lists. */
export function listVerb<Action extends ListAction>({ action, columns, whenEmpty, ...said }: List<Action>): Verb {
  return verb({
    ...said,
    usage: '',
    flags: {},
    async run(client) {
      const items = await client.call(action, {} as CallInput<Action>)
      return view(items, tableOf(columns, items as readonly Item<Action>[], whenEmpty))
    },
  })
}

type Plain<Action extends AdminAction> = Said & {
  readonly action: Action
  /** What is said of the answer; `name` is what was typed. */
  readonly says: (answer: ResponseBody<Action>, name: string) => string
  /** What the body takes besides, as help shows it. */
  readonly usage?: string
  readonly flags?: FlagTable
  /** Where the action is about one thing: what that is called. */
  readonly operand?: 'NAME' | 'ID' | 'PROVIDER'
}

/** A verb whose flags are the body of one action. */
export function plainVerb<const Action extends AdminAction>(definition: Plain<Action>): Verb {
  const { action, says, usage = '', flags = {}, operand, ...said } = definition
  return verb({
    ...said,
    usage: [operand, usage].filter(Boolean).join(' '),
    ...(operand === undefined ? {} : { operand }),
    flags,
    async run(client, { name, flags: given }) {
      const input = { id: operand === undefined ? undefined : name, body: anyBody(action, given) }
      // Which of the two an action takes is in its row, and in the definition of its verb.
      const answer = await client.call(action, input as unknown as CallInput<Action>)
      return view(answer, says(answer, name))
    },
  })
}
