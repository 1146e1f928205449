// The dialects that providers speak. `demo` is no wire format but a kind of provider: the built-in one, which speaks the usual
// dialect inside the program.

import {
  DEMO,
  type CLIENT_FORMATS,
  type PASSED_FORMATS,
  type PROVIDER_DIALECTS,
  type WIRE_DIALECTS,
} from '#contract/dialects.ts'

/** A format that clients speak. */
export type FormatName = (typeof CLIENT_FORMATS)[number] | PassedName
/** A format of an endpoint whose calls are passed on as they come. */
export type PassedName = (typeof PASSED_FORMATS)[number]
/** A wire format of providers. */
export type WireDialect = (typeof WIRE_DIALECTS)[number]
export type ProviderDialect = (typeof PROVIDER_DIALECTS)[number]

/** What most providers speak, and every server of open models. */
export const USUAL_DIALECT = 'chat-completions' satisfies WireDialect

/** Whether a provider is the built-in one, which has no address, no secret and no connection. */
export function isDemo({ dialect }: { readonly dialect?: ProviderDialect | undefined }): boolean {
  return dialect === DEMO
}

/** The wire format in which a provider is asked. */
export function wireDialect(dialect: ProviderDialect): WireDialect {
  return dialect === DEMO ? USUAL_DIALECT : dialect
}
