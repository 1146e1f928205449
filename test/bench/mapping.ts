// How the cost of mapping a request grows with the length of its conversation: from the messages format to chat completions,
// in this process, per message. A ratio near 1 says that it is linear.
import { isRefusal } from '#core/refusal.ts'
import { readRequest } from '#pipeline/endpoints.ts'
import { spread, type Spread } from './statistics.ts'
import { testProvider } from '../support/provider.ts'

const LENGTHS = { short: 100, long: 1000 }
const ROUNDS = 15
/** Messages mapped in one round of one length. */
const MESSAGES_PER_ROUND = 20_000

const DESTINATION = {
  provider: testProvider(),
  target: { providerId: 'p', upstreamModel: 'm', priority: 0, weight: 1 },
  exchangeId: '00000000-0000-7000-8000-000000000000',
  nowMs: 0,
} as const

/** CPU time per message of a conversation of 1,000 messages over that of one of 100, round by round. */
export function mappingGrowth(): Spread {
  const [short, long] = [conversation(LENGTHS.short), conversation(LENGTHS.long)]
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const [each, eachOfLong] = [perMessage(short, LENGTHS.short), perMessage(long, LENGTHS.long)]
    // The first rounds are the compiler's.
    if (round >= 3) ratios.push(eachOfLong / each)
  }
  return spread(ratios)
}

function perMessage(text: string, messages: number): number {
  const before = process.cpuUsage()
  for (let mapped = 0; mapped < MESSAGES_PER_ROUND; mapped += messages) map(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / MESSAGES_PER_ROUND
}

function map(text: string): string {
  const request = readRequest('messages', text, text.length)
  if (isRefusal(request)) throw new Error(request.message)
  const prepared = request.prepare(DESTINATION)
  if (isRefusal(prepared)) throw new Error(prepared.message)
  return prepared.body(1000)
}

/** As a coding tool sends it: every other exchange runs a tool. */
function conversation(length: number): string {
  const sentence = 'The fare is counted once, when the ride is over. '
  const turns = Array.from({ length: length / 4 }, (_, index) => [
    { role: 'user', content: [{ type: 'text', text: sentence.repeat(2) }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: sentence },
        { type: 'tool_use', id: `toolu_${index}`, name: 'read_file', input: { path: `src/file-${index}.ts` } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${index}`, content: sentence.repeat(4) }] },
    { role: 'assistant', content: sentence },
  ])
  const tools = [{ name: 'read_file', input_schema: { type: 'object', properties: { path: { type: 'string' } } } }]
  return JSON.stringify({ model: 'm', max_tokens: 1000, system: sentence, tools, messages: turns.flat() })
}
