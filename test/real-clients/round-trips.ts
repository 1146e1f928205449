// Prompts and tool round trips: first with the scripted provider alone, which proves that it is realistic enough to tell
// anything, then through Farebox to a provider of each dialect.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { access, type Lab } from './lab.ts'
import { AI_SDK } from './ai-sdk.ts'
import type { Outcome, Program } from './program.ts'
import { CLAUDE, CODEX, CODEX_BUILT_IN, GEMINI, OPENCODES } from './programs.ts'
import { CLINE, COPILOTS, QWENS } from './other-programs.ts'
import { DIALECTS, ROUTES, type Route } from './routes.ts'
import { expect, type Scenario } from './scenario.ts'
import { appliesPatch, runsCommand, TOOL_ANSWER, TOOL_FILE } from './tool-script.ts'

const PROMPT = 'Say hello.'
const ANSWER = 'Hello, and nothing else — grüße.'
/** What the scripted provider wants back with its reasoning. */
const SEAL = 'c2VhbGVkLWJ5LXRoZS1zY3JpcHQ='
const MODEL = 'model-for-tests'
/** Names by which the programs know what a model can do, and ask for more. */
const KNOWN = { claude: 'claude-sonnet-4-5', codex: 'gpt-5.5' } as const

const MAIN = [CLAUDE, CODEX] as const
const OTHERS = [GEMINI, CLINE, ...QWENS, ...COPILOTS, AI_SDK] as const

export const runScenarios: readonly Scenario[] = [
  ...ROUTES.flatMap((route) => [...MAIN, ...OPENCODES].flatMap((program) => both(program, route, MODEL))),
  ...ROUTES.flatMap((route) => OTHERS.flatMap((program) => both(program, route, MODEL))),
  ...ROUTES.flatMap((route) => both(CLAUDE, route, KNOWN.claude)),
  ...ROUTES.flatMap((route) => both(CODEX, route, KNOWN.codex)),
  ...ROUTES.map((route) => patch(route)),
  ...MAIN.map((program) => sealBehindCall(program)),
  ...DIALECTS.flatMap((route) => both(CODEX_BUILT_IN, route, MODEL)),
]

function both(program: Program, route: Route, model: string): Scenario[] {
  return [prompt(program, route, model), tool(program, route, model)]
}

function prompt(program: Program, route: Route, model: string): Scenario {
  return {
    name: `${program.name} / ${route} / ${model} / a prompt`,
    async run(lab) {
      lab.upstream.forget()
      lab.upstream.script({ type: 'answer', text: ANSWER, reasoning: 'They greet me.', seal: SEAL })
      const outcome = await lab.run(program, { prompt: PROMPT, ...(await access(lab, route, model)) })
      expect(outcome.succeeded, 'it did not succeed', outcome)
      expect(outcome.answer === ANSWER, 'it did not give the answer', outcome)
      expectRequests(lab, outcome, 1)
    },
  }
}

function tool(program: Program, route: Route, model: string): Scenario {
  return {
    name: `${program.name} / ${route} / ${model} / a tool`,
    async run(lab) {
      lab.upstream.forget()
      lab.upstream.script((request) => ({ seal: SEAL, ...runsCommand(request) }))
      const outcome = await lab.run(program, { prompt: 'Make a file.', ...(await access(lab, route, model)) })
      await expectToolRan(lab, outcome)
      if (!program.seals.includes(route)) return
      const isBack = lab.upstream.requests.at(-1)?.text.includes(SEAL) === true
      expect(isBack, 'the provider did not get back what sealed its reasoning', outcome)
    },
  }
}

function patch(route: Route): Scenario {
  return {
    name: `codex / ${route} / ${KNOWN.codex} / a patch`,
    async run(lab) {
      lab.upstream.forget()
      lab.upstream.script(appliesPatch)
      const outcome = await lab.run(CODEX, { prompt: 'Make a file.', ...(await access(lab, route, KNOWN.codex)) })
      await expectToolRan(lab, outcome)
    },
  }
}

/** Gemini's signature as OpenRouter may send it: behind the call that it belongs to. */
function sealBehindCall(program: Program): Scenario {
  return {
    name: `${program.name} / openrouter / ${MODEL} / a seal behind a call`,
    async run(lab) {
      lab.upstream.forget()
      lab.upstream.script((request) => sealedBehind(runsCommand(request)))
      const gateway = await lab.gateway()
      await gateway.serve(MODEL, 'openrouter')
      const { url, key } = gateway
      const outcome = await lab.run(program, { prompt: 'Make a file.', url, key, model: MODEL })
      await expectToolRan(lab, outcome)
      const isBack = lab.upstream.requests.at(-1)?.text.includes(`"data":"${SEAL}"`) === true
      expect(isBack, 'the provider did not get back what it sealed behind the call', outcome)
    },
  }
}

function sealedBehind(behaviour: Behaviour): Behaviour {
  const [call] = behaviour.type === 'answer' ? (behaviour.toolCalls ?? []) : []
  if (call === undefined) return behaviour
  const { id, name, arguments: text } = call
  const detail = { type: 'reasoning.encrypted', data: SEAL, id, format: 'google-gemini-v1', index: 0 }
  const deltas = [
    { role: 'assistant', content: 'I make the file.' },
    { tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: text } }] },
    { reasoning_details: [detail] },
  ]
  const chunk = (delta: object, finish: string | null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }]
    return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`
  }
  const parts = [...deltas.map((delta) => chunk(delta, null)), chunk({}, 'tool_calls'), 'data: [DONE]\n\n']
  return { type: 'raw', parts }
}

async function expectToolRan(lab: Lab, outcome: Outcome & { readonly folder: string }): Promise<void> {
  expect(outcome.succeeded, 'it did not succeed', outcome)
  expect(outcome.answer.endsWith(TOOL_ANSWER), 'it did not give the answer', outcome)
  const made = await readFile(join(outcome.folder, 'work', TOOL_FILE), 'utf8').catch(() => undefined)
  expect(made?.trim() === 'made', 'the tool made no file', outcome)
  expectRequests(lab, outcome, 2)
}

function expectRequests(lab: Lab, outcome: Outcome, count: number): void {
  const asked = lab.upstream.requests.filter(({ method }) => method === 'POST')
  const paths = asked.map(({ path }) => path).join(', ')
  expect(asked.length === count, `the provider was asked ${asked.length} times instead of ${count}: ${paths}`, outcome)
}
