// All rows of a dialect: those that every dialect has, and its own.

import { bodyFaults } from './body-faults.ts'
import { CHAT_FAULTS } from './chat-faults.ts'
import { connectionFaults } from './connection-faults.ts'
import { CONVERSE_FAULTS } from './converse-faults.ts'
import { EVENT_FAULTS } from './event-faults.ts'
import type { Fault, FaultDialect } from './fault.ts'
import { GEMINI_FAULTS } from './gemini-faults.ts'
import { httpFaults } from './http-faults.ts'
import { KITS } from './kits.ts'
import { MESSAGES_FAULTS } from './messages-faults.ts'
import { orderFaults } from './order-faults.ts'
import { RESPONSES_FAULTS } from './responses-faults.ts'
import { runningFaults } from './running-faults.ts'
import { statusFaults } from './status-faults.ts'
import { usageFaults } from './usage-faults.ts'

const OWN: Readonly<Record<FaultDialect, readonly Fault[]>> = {
  'chat-completions': CHAT_FAULTS,
  messages: MESSAGES_FAULTS,
  responses: RESPONSES_FAULTS,
  gemini: GEMINI_FAULTS,
  'bedrock-converse': CONVERSE_FAULTS,
}

export function faultsOf(dialect: FaultDialect): readonly Fault[] {
  const kit = KITS[dialect]
  return [
    ...connectionFaults(kit),
    ...httpFaults(kit),
    ...statusFaults(kit),
    ...bodyFaults(kit),
    ...(dialect === 'bedrock-converse' ? [] : EVENT_FAULTS),
    ...usageFaults(kit),
    ...runningFaults(kit),
    ...orderFaults(dialect),
    ...OWN[dialect],
  ]
}
