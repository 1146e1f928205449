// What is wrong with the key of a tool, or with what its package allows.

import type { ToolCheck } from '#doctor/check.ts'
import type { ToolPicture, Picture } from '#doctor/picture.ts'

const again = ({ adapter: { tool } }: ToolPicture) => `farebox connect ${tool}`

export const KEY_CHECKS: readonly ToolCheck[] = [
  {
    id: 'key_missing',
    find: (tool, { gateway }) =>
      gateway === undefined ||
      tool.journal?.state !== 'connected' ||
      (tool.key !== undefined && tool.keyValue !== undefined)
        ? undefined
        : {
            message: `${tool.adapter.name} is connected, but has no key any more.`,
            fix: `Connect it again with '${again(tool)}'.`,
          },
  },
  ofStatus('key_revoked', 'revoked', 'is revoked', again),
  ofStatus('key_suspended', 'suspended', 'is suspended', ({ key }) => `farebox key resume ${key?.name}`),
  ofStatus('key_expired', 'expired', 'has expired', ({ key }) => `farebox key extend ${key?.name} --expires never`),
  {
    id: 'key_spent',
    find: ({ adapter, key }) => {
      const left = key?.balance.remaining_credits ?? null
      if (key === undefined || left === null || left > 0) return undefined
      const reset = key.balance.next_reset_at
      return {
        message: `The key '${key.name}' of ${adapter.name} has no credits left${reset === null ? '' : `, until ${reset}`}.`,
        fix: `Add some with 'farebox key top-up ${key.name} --credits N', or give it another package with 'farebox key move'.`,
      }
    },
  },
  {
    id: 'key_other_value',
    find: (tool) => {
      const { adapter, key, keyValue } = tool
      if (key === undefined || keyValue === undefined || keyValue.endsWith(key.hint)) return undefined
      return {
        message: `The key '${key.name}' has another value than the one that Farebox keeps for ${adapter.name}.`,
        fix: `Give it a new one by connecting it again with '${again(tool)}'.`,
      }
    },
  },
  {
    id: 'key_not_brought',
    find: (tool) =>
      hasKeyInSettings(tool) && !tool.files.some(({ text }) => text?.includes(tool.keyValue ?? '') === true)
        ? {
            message: `${tool.adapter.name} has its key in its own settings, and that is not the key's value any more.`,
            fix: `Bring it there with '${again(tool)}'.`,
          }
        : undefined,
  },
  {
    id: 'package_ended',
    find: ({ adapter, key }, { gateway, nowMs }) => {
      const itsPackage = gateway?.packages.find(({ name }) => name === key?.package)
      const until = itsPackage?.valid_until ?? null
      if (until === null || Date.parse(until) > nowMs) return undefined
      return {
        message: `The package '${itsPackage?.name}' of ${adapter.name}'s key ended on ${until}.`,
        fix: `Lengthen it with 'farebox package edit ${itsPackage?.name} --valid-until DATE', or give the key another one with 'farebox key move'.`,
      }
    },
  },
  { id: 'model_missing', find: (tool, picture) => toldModels(tool).flatMap((id) => missingModel(tool, picture, id)) },
  {
    id: 'model_not_allowed',
    find: (tool, { gateway }) => {
      const allowed = gateway?.packages.find(({ name }) => name === tool.key?.package)?.models ?? 'all'
      if (allowed === 'all') return undefined
      return toldModels(tool)
        .filter((id) => !allowed.includes(id))
        .map((id) => ({
          message: `${tool.adapter.name} asks for the model '${id}', which the package '${tool.key?.package}' of its key does not allow.`,
          fix: `Allow it with 'farebox package edit ${tool.key?.package} --models', or connect with another one: '${again(tool)} --model ID'.`,
        }))
    },
  },
]

function ofStatus(id: string, status: string, says: string, how: (tool: ToolPicture) => string): ToolCheck {
  return {
    id,
    find: (tool) =>
      tool.key?.status === status
        ? { message: `The key '${tool.key.name}' of ${tool.adapter.name} ${says}.`, fix: `Try '${how(tool)}'.` }
        : undefined,
  }
}

/** Whether the adapter writes the value itself, and it was written. */
function hasKeyInSettings({ adapter, journal, keyValue }: ToolPicture): boolean {
  if (journal?.state !== 'connected' || keyValue === undefined) return false
  const members = (adapter.connect?.files ?? []).flatMap((file) => (file.type === 'members' ? file.members : []))
  return members.some((member) => !('ifPresent' in member) && JSON.stringify(member).includes('"<key>"'))
}

/** Not every tool has a use for a small model. */
function toldModels({ adapter, journal }: ToolPicture): string[] {
  const told = journal?.told
  if (told === undefined) return []
  const hasSmall = JSON.stringify(adapter.connect).includes('<small')
  return [...new Set([told.model, ...(hasSmall ? [told.small_model] : [])])]
}

function missingModel(tool: ToolPicture, { gateway }: Picture, id: string) {
  if (gateway === undefined) return []
  const model = gateway.models.find((one) => one.id === id)
  if (model?.enabled === true && model.price !== null) return []
  const why = model === undefined ? 'is not there any more' : model.enabled ? 'has no price' : 'is disabled'
  const how =
    model === undefined ? `${again(tool)} --model ID` : `farebox model ${model.enabled ? 'price' : 'enable'} ${id}`
  return [{ message: `${tool.adapter.name} asks for the model '${id}', which ${why}.`, fix: `Try '${how}'.` }]
}
