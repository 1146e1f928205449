// What the desktop shell remembers, as it stands in `shell.json`.

import { Type, type Static } from 'typebox'
import { strict } from '#contract/fields.ts'

const Length = Type.Integer({ minimum: -100_000, maximum: 100_000 })

export const ShellFile = strict({
  /** null: nobody was asked yet. */
  close_to_tray: Type.Union([Type.Boolean(), Type.Null()]),
  daily_update_check: Type.Boolean(),
  notifications: Type.Boolean(),
  window: Type.Union([
    strict({ x: Length, y: Length, width: Length, height: Length, is_maximized: Type.Boolean() }),
    Type.Null(),
  ]),
  /** The level in percent that was told of each key, by its id. */
  told_levels: Type.Record(Type.String({ maxLength: 64 }), Type.Enum([20, 10, 0]), { maxProperties: 10_000 }),
  /** The id of the latest alert that was looked at; empty: there was none yet. */
  told_alert: Type.Optional(Type.String({ maxLength: 64 })),
  /** What the owner chose in the dashboard when it was last seen, for the words of a gateway that does not run. */
  language: Type.Optional(Type.String({ maxLength: 40 })),
  last_update_look: Type.Union([Type.Integer(), Type.Null()]),
  /** The version that was about to be installed when the program ended. */
  installing: Type.Optional(Type.String({ maxLength: 100 })),
})

export type ShellFile = Static<typeof ShellFile>
