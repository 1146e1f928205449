// The demo, as an administrator asks for it.

import { Type, type Static } from 'typebox'
import { Name, strict } from '#contract/fields.ts'
import { KeyCreated } from '#contract/schemas.ts'

export const DemoView = strict({
  /** Nothing where all of it was there already. */
  made: Type.Array(strict({ kind: Type.Enum(['provider', 'model', 'package']), name: Name })),
  /** A first key with its value, which is shown this once; null where there are keys already. */
  key: Type.Union([KeyCreated, Type.Null()]),
})

export type DemoView = Static<typeof DemoView>
