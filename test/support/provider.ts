// A provider as the program has it in memory, for tests of parts that no administrator is needed for.
import type { Provider } from '#core/entities.ts'

/** A plain chat-completions provider on this machine, but for what is said otherwise. */
export function testProvider(overrides: Partial<Provider> = {}): Provider {
  return {
    id: 'p',
    name: 'provider',
    preset: undefined,
    dialect: 'chat-completions',
    baseUrl: 'http://127.0.0.1:1/v1',
    network: 'local',
    hasSecret: false,
    pool: [],
    secretHeader: undefined,
    outputCapField: 'max_tokens',
    onDisconnect: 'cancel',
    quirks: {},
    limits: {},
    timeLimits: {},
    headers: {},
    headerSecrets: [],
    createdAtMs: 0,
    ...overrides,
  }
}
