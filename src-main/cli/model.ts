// farebox model …

import { KINDS } from '#cli/kind-text.ts'
import { number, text, toggle, type Flag } from '#cli/flags.ts'
import { UsageError } from '#cli/errors.ts'
import { printable, view } from '#cli/output.ts'
import { listVerb, plainVerb } from '#cli/plain-verbs.ts'
import { PRICE_FLAGS, PRICE_USAGE, priceOf } from '#cli/price-flags.ts'
import { group, requestBody } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'
import { card, cardVersions, fetchCard } from '#cli/model-card.ts'
import type { ModelView } from '#contract/schemas.ts'

/** Split at the first slash: upstream names such as `meta-llama/Llama-3` have slashes of their own. */
const targets: Flag<{ provider: string; model: string }[]> = {
  type: 'string',
  isRepeatable: true,
  read: (texts, name) =>
    texts.map((target) => {
      const slash = target.indexOf('/')
      if (slash < 1 || slash === target.length - 1) throw new UsageError(`${name} takes PROVIDER/UPSTREAM_MODEL.`)
      return { provider: target.slice(0, slash), model: target.slice(slash + 1) }
    }),
}

const list = listVerb({
  name: 'model list',
  summary: 'lists the models with their prices in credits per million tokens',
  action: 'listModels',
  columns: {
    ID: (model) => model.id,
    KIND: (model) => model.kind,
    ENABLED: (model) => model.enabled,
    CONTEXT: ({ context_window: tokens, context_window_guessed }) =>
      context_window_guessed === true ? `${tokens}, assumed` : tokens,
    OUTPUT: (model) => model.max_output_tokens,
    IN: (model) => model.price?.input ?? null,
    OUT: (model) => model.price?.output ?? null,
    'CACHE READ': (model) => model.price?.cache_read ?? null,
    'CACHE WRITE': (model) => model.price?.cache_write ?? null,
    TARGETS: targetsText,
  },
  whenEmpty: 'There are no models yet.',
})

const codex = verb({
  name: 'model codex',
  usage: '',
  summary: 'prints the models as a file for the setting model_catalog_json of Codex',
  flags: {},
  async run(client) {
    const models = await client.call('codexModels', {})
    return view(models, JSON.stringify(models, null, 2))
  },
})

const add = verb({
  name: 'model add',
  usage: [
    `ID --context-window N --target PROVIDER/UPSTREAM_MODEL … [--kind ${KINDS}] [--display-name TEXT]`,
    `[--max-output-tokens N] [${PRICE_USAGE}] [--disabled]`,
  ].join(' '),
  summary: 'adds a model; its targets are tried in their order',
  operand: 'ID',
  flags: {
    kind: text,
    display_name: text,
    context_window: number,
    max_output_tokens: number,
    ...PRICE_FLAGS,
    target: targets,
    disabled: toggle,
  },
  async run(client, { name, flags }) {
    const { price, rest } = priceOf(flags)
    const { target, disabled, ...fields } = rest
    if (price !== undefined && flags.output === undefined && (fields.kind ?? 'chat') === 'chat') {
      throw new UsageError('--output is required.')
    }
    const enabled = disabled === true ? false : undefined
    const body = requestBody('addModel', { id: name, ...fields, price, targets: target, enabled })
    const model = await client.call('addModel', { body })
    return view(model, `Model ${printable(model.id)} is added, ${stateOf(model)}.`)
  },
})

const edit = verb({
  name: 'model edit',
  usage: `ID [--display-name TEXT] [--kind ${KINDS}] [--context-window N] [--max-output-tokens N] [--target PROVIDER/UPSTREAM_MODEL …]`,
  summary: 'changes a model; what is not named stays, and targets are replaced as a whole',
  operand: 'ID',
  flags: { display_name: text, kind: text, context_window: number, max_output_tokens: number, target: targets },
  async run(client, { name, flags: { target, ...fields } }) {
    const changes = { ...fields, targets: target }
    if (group(changes) === undefined) throw new UsageError('Say what to change.')
    const model = await client.call('editModel', { id: name, body: requestBody('editModel', changes) })
    return view(model, `Model ${printable(model.id)} is changed, with the targets ${targetsText(model)}.`)
  },
})

const price = verb({
  name: 'model price',
  usage: `ID ${PRICE_USAGE} [--confirm-jump]`,
  summary: "sets a model's price in credits per million tokens; what is not named is no part of it any more",
  operand: 'ID',
  flags: { ...PRICE_FLAGS, confirm_jump: toggle },
  async run(client, { name, flags }) {
    const { price: said, rest } = priceOf(flags)
    const model = await client.call('priceModel', { id: name, body: requestBody('priceModel', { ...said, ...rest }) })
    return view(model, `Model ${printable(model.id)} has a new price, version ${model.price?.version ?? '-'}.`)
  },
})

const enable = plainVerb({
  name: 'model enable',
  summary: 'enables a model',
  operand: 'ID',
  action: 'enableModel',
  says: stateText,
})

const disable = plainVerb({
  name: 'model disable',
  summary: 'disables a model: it is neither served nor listed',
  operand: 'ID',
  action: 'disableModel',
  says: stateText,
})

const remove = plainVerb({
  name: 'model remove',
  summary: 'removes a model',
  operand: 'ID',
  action: 'removeModel',
  says: (_removed, name) => `Model ${printable(name)} is removed.`,
})

export const MODEL_VERBS = [list, codex, add, edit, price, card, cardVersions, fetchCard, enable, disable, remove]

function stateText(model: ModelView): string {
  return `Model ${printable(model.id)} is ${stateOf(model)}.`
}

function stateOf(model: ModelView): string {
  return model.enabled ? 'enabled' : 'disabled'
}

function targetsText({ targets: shown }: ModelView): string {
  return shown.map(({ provider, model }) => printable(`${provider}/${model}`)).join(', ')
}
