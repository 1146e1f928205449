// The names under which answers are kept: the action first, so that `[action]` means all of its answers.

import type { AdminAction } from '#contract/admin-routes.ts'

type KeyOptions = {
  readonly id?: string | undefined
  readonly query?: object | undefined
  readonly body?: object | undefined
}

export function queryKeyOf(action: AdminAction, options: KeyOptions = {}): readonly unknown[] {
  return [
    action,
    ...(options.id === undefined ? [] : [options.id]),
    ...(options.query === undefined ? [] : [options.query]),
    ...(options.body === undefined ? [] : [options.body]),
  ]
}
