// Tools as the admin API connects them: the same work as that of the command line, with this gateway in its place. Loaded when somebody
// first asks for a tool.

import { createKey, editKey, listKeys, moveKey, resumeKey, suspendKey } from '#catalog/keys.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { rotateKey } from '#catalog/rotation.ts'
import type { InTurn } from '#catalog/turns.ts'
import { modelView, packageView } from '#catalog/views.ts'
import type { Surroundings } from '#connect/expand.ts'
import { Refused } from '#connect/format.ts'
import type { Gateway } from '#connect/gateway.ts'
import { toolGuides } from '#connect/guides.ts'
import { listTools } from '#connect/list.ts'
import { connectTool, disconnectTool, previewDisconnect, type Workshop } from '#connect/tools.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { ToolControl } from '#server/admin/admin-deps.ts'
import { lockConnections } from '#store/lock.ts'

export type ToolControlDeps = {
  readonly dataDir: string
  readonly surroundings: Surroundings | undefined
  readonly context: CatalogContext
  /** Where this machine reaches the gateway; undefined before it listens. */
  readonly url: () => string | undefined
  readonly inTurn: InTurn
}

const PLATFORMS = { linux: 'linux', macos: 'darwin', windows: 'win32' } as const

export function toolControl(deps: ToolControlDeps): ToolControl {
  return {
    list: () => inWorkshop(deps, listTools),
    connect: (tool, { package: packageName, model, small_model: small, dry_run: isDryRun = false, seen, ...labels }) =>
      inWorkshop(deps, (workshop) =>
        connectTool(workshop, {
          tool,
          key: { package: packageName, labels },
          models: { model, small },
          isDryRun,
          ...(seen !== undefined && { seen }),
        }),
      ),
    guides: ({ url, system, models, model }) =>
      refusing(async () =>
        toolGuides({
          url: url ?? deps.url() ?? notListening(),
          platform: PLATFORMS[system],
          models,
          model,
          nowMs: deps.context.nowMs(),
        }),
      ),
    disconnect: (tool, { isDryRun }) =>
      inWorkshop(deps, (workshop) => (isDryRun ? previewDisconnect : disconnectTool)(workshop, tool)),
  }
}

async function inWorkshop<Done>(
  deps: ToolControlDeps,
  work: (workshop: Workshop) => Promise<Done>,
): Promise<Done | Refusal> {
  const { dataDir, surroundings, context } = deps
  if (surroundings === undefined) return refuse('not_found', 'This Farebox has no user whose tools it could connect.')
  const lock = async () => lockConnections(dataDir)
  return refusing(() => work({ dataDir, surroundings, gateway: gatewayOf(deps), nowMs: context.nowMs, lock }))
}

async function refusing<Done>(work: () => Promise<Done>): Promise<Done | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RefusedByGateway) return error.refusal
    if (error instanceof Refused) return refuse(error.reason === 'missing' ? 'not_found' : 'conflict', error.message)
    throw error
  }
}

/** Carries a refusal out of the room that knows none. */
class RefusedByGateway extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

function gatewayOf({ context, url, inTurn }: ToolControlDeps): Gateway {
  const { catalog } = context
  const change = async <Done>(work: () => Promise<Done | Refusal>): Promise<Done> => {
    const done = await inTurn(work)
    if (isRefusal(done)) throw new RefusedByGateway(done)
    return done
  }
  return {
    url: async () => url() ?? notListening(),
    models: async () => catalog.models.map((model) => modelView(model, catalog)),
    packages: async () => catalog.packages.map((entity) => packageView(entity, catalog)),
    keys: async () => listKeys(context),
    createKey: (wanted) => change(() => createKey(context, { ...wanted, expires: 'never' })),
    rotateKey: (id) => change(() => rotateKey(context, id, { overlap: 'none', expires: 'never' })),
    moveKey: (id, packageName) => change(() => moveKey(context, id, packageName)),
    editKey: (id, labels) => change(() => editKey(context, id, labels)),
    suspendKey: (id) => change(() => suspendKey(context, id, 'administrator')),
    resumeKey: (id) => change(() => resumeKey(context, id, 'administrator')),
  }
}

function notListening(): never {
  throw new RefusedByGateway(refuse('conflict', 'The gateway listens nowhere yet.'))
}
