// The certificate that Farebox makes for the LAN: each program takes it by the variable that its adapter names, and without it turns away.
import { ADAPTERS } from '#connect/adapters.ts'
import { LAN_ADDRESS, type Lab } from './lab.ts'
import { CLINE, COPILOTS, QWENS } from './other-programs.ts'
import type { Outcome, Program } from './program.ts'
import { CLAUDE, CODEX, GEMINI, OPENCODES } from './programs.ts'
import { expect, type Scenario } from './scenario.ts'

const MODEL = 'model-for-tests'
const ANSWER = 'Over TLS, and trusted.'
/** Some try again for minutes before they say that they were not let in. */
const REFUSED_LIMIT_MS = 20_000

const TOOLS: readonly (readonly [tool: string, programs: readonly Program[]])[] = [
  ['claude-code', [CLAUDE]],
  ['codex', [CODEX]],
  ['opencode', OPENCODES.slice(0, 1)],
  ['gemini-cli', [GEMINI]],
  ['qwen-code', QWENS],
  ['cline', [CLINE]],
  ['copilot-cli', COPILOTS.slice(0, 1)],
]

export const trustScenarios: readonly Scenario[] = TOOLS.flatMap(([tool, programs]) =>
  programs.map((program) => ({
    name: `${program.name} / over TLS`,
    run: (lab) => runTrusted(lab, tool, program),
  })),
)

async function runTrusted(lab: Lab, tool: string, program: Program): Promise<string> {
  const variable = ADAPTERS.find((adapter) => adapter.tool === tool)?.certificate
  const gateway = await lab.gateway()
  await gateway.serve(MODEL, 'chat-completions')
  const { url, certificateFile } = await gateway.overTls()
  const ask = async (env: Readonly<Record<string, string>>, limitMs?: number): Promise<Outcome> => {
    lab.upstream.forget()
    lab.upstream.script({ type: 'answer', text: ANSWER })
    const patience = limitMs === undefined ? {} : { limitMs }
    const surroundings = { NO_PROXY: LAN_ADDRESS, no_proxy: LAN_ADDRESS, ...env }
    return lab.run(program, { prompt: 'Say so.', url, key: gateway.key, model: MODEL, env: surroundings, ...patience })
  }
  expect(variable !== undefined, 'its adapter names no variable')
  const trusted = await ask({ [variable]: certificateFile })
  expect(trusted.succeeded && trusted.answer === ANSWER, `it does not trust by ${variable}`, trusted)
  const stranger = await ask({}, REFUSED_LIMIT_MS)
  expect(!stranger.succeeded && lab.upstream.requests.length === 0, 'it trusts a stranger', stranger)
  return variable
}
