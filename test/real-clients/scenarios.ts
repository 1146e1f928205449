// Everything that is tried, in the order in which it is tried.
import { connectScenarios } from './connected.ts'
import { faultScenarios } from './faults.ts'
import { runScenarios } from './round-trips.ts'
import type { Scenario } from './scenario.ts'
import { trustScenarios } from './trusted.ts'

export const scenarios: readonly Scenario[] = [
  ...runScenarios,
  ...connectScenarios,
  ...trustScenarios,
  ...faultScenarios,
]
