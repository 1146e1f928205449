// What a connection asks of the gateway. The command line answers it with the admin API, and so does the gateway itself.

import type { KeyCreated, KeyEdit, KeyView, ModelView, PackageView } from '#contract/schemas.ts'

/** What the calls of a key are counted to, besides its tool. */
export type KeyLabels = { readonly project?: string; readonly tags?: string[] }

export type Gateway = {
  /** The address on this machine, without `/v1`. */
  readonly url: () => Promise<string>
  readonly models: () => Promise<readonly ModelView[]>
  readonly packages: () => Promise<readonly PackageView[]>
  readonly keys: () => Promise<readonly KeyView[]>
  /** Both never expire: a tool that stops on some day says nothing of why. */
  readonly createKey: (
    wanted: KeyLabels & { readonly name: string; readonly package: string; readonly tool: string },
  ) => Promise<KeyCreated>
  readonly rotateKey: (id: string) => Promise<KeyCreated>
  readonly moveKey: (id: string, packageName: string) => Promise<unknown>
  readonly editKey: (id: string, labels: KeyEdit) => Promise<unknown>
  readonly suspendKey: (id: string) => Promise<unknown>
  readonly resumeKey: (id: string) => Promise<unknown>
}
