// What the shell needs of a gateway, whether it runs in this process or was there before. The host of the process gives it; the
// shell never sees how.

import type { AlertView } from '#contract/alerts.ts'
import type { OverviewView } from '#contract/reports.ts'
import type { KeyView, UsageView } from '#contract/schemas.ts'
import type { StatusView } from '#contract/status.ts'
import type { ToolView } from '#contract/tools.ts'

export type Gateway = {
  /** The origin under which it listens, such as `http://127.0.0.1:3273`. */
  readonly url: string
  /** The process it runs in where that is another one; undefined where it is this one. */
  readonly otherPid: number | undefined
  /** Everything that the tray shows. Rejects when the gateway does not answer. */
  read(): Promise<Reading>
  /** A ticket for one sign-in to the dashboard. Rejects with a sentence when there is none. */
  ticket(): Promise<string>
  pause(minutes: number): Promise<void>
  resume(): Promise<void>
  /** Calls the listener when a call has ended, until the function that is returned is called. */
  onExchangeEnd(listener: () => void): () => void
  afterSleep(): void
  /** Ends a gateway of this process, with its running answers and what is to be written; lets go of another one. */
  close(): Promise<void>
}

/** A tool of this machine that was connected; `waiting`: no request of it came yet, `keyless`: its key is blocked or gone. */
export type ConnectedTool = Pick<ToolView, 'name' | 'state'>

export type Reading = {
  readonly status: StatusView
  readonly keys: readonly KeyView[]
  /** The latest calls, the newest first; those that failed are picked by the shell. */
  readonly calls: readonly UsageView[]
  /** Budgets that reached a threshold, the latest first. */
  readonly alerts: readonly AlertView[]
  readonly overview: OverviewView
  readonly tools: readonly ConnectedTool[]
  /** What the owner of the machine chose for the dashboard; `system` or the tag of a language. */
  readonly language: string
}

export type Started =
  | { readonly type: 'running'; readonly gateway: Gateway }
  /** `owner` completes the sentence "port 3273 is taken by …". */
  | { readonly type: 'port-taken'; readonly port: number; readonly owner: string }
  /** `message` is a sentence for a person. */
  | { readonly type: 'failed'; readonly message: string }

export type GatewayHost = {
  /** Starts a gateway on the data folder, or finds the one that runs there. Never rejects. */
  start(): Promise<Started>
}
