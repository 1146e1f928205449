// Showing and changing how other machines reach the gateway.

import type { LanCertificate, LanChange, LanView } from '#contract/lan.ts'
import type { Refusal } from '#core/refusal.ts'
import type { AdminHandlers } from '#server/admin/admin.ts'

export type LanControl = {
  view(): LanView
  certificate(): LanCertificate | Refusal
  change(input: LanChange): Promise<LanView | Refusal>
  turnOff(): Promise<LanView>
}

type LanActions = 'showLan' | 'setLan' | 'turnLanOff' | 'showLanCertificate'

export function lanHandlers(lan: () => Promise<LanControl>): Pick<AdminHandlers, LanActions> {
  return {
    showLan: async () => (await lan()).view(),
    setLan: async ({ body }) => (await lan()).change(body),
    turnLanOff: async () => (await lan()).turnOff(),
    showLanCertificate: async () => (await lan()).certificate(),
  }
}
