// Bugs that other gateways had, each with the test that shows that Farebox does not have it, or with the reason why it cannot.
// A reference is a thread at GitHub. Tests in this folder begin with the reference that they are for.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

type Place =
  /** A file of this folder that holds tests with the reference. */
  | string
  /** A test elsewhere, by a part of its name or title. */
  | { readonly file: string; readonly test: string }
  | { readonly why: string }

const MESSAGES = 'messages-streams.test.ts'
const RESPONSES = 'responses-streams.test.ts'
const REQUESTS = 'requests.test.ts'
const TOOLS = 'tool-requests.test.ts'
const GEMINI = 'gemini.test.ts'
const USAGE = 'usage.test.ts'
const HTTP = 'http.test.ts'
const EMBEDDINGS = 'clients/openai-sdk-embeddings.test.ts'

const BUGS: Readonly<Record<string, Place>> = {
  // Blocks of a message's stream.
  'BerriAI/litellm#25212': MESSAGES,
  'BerriAI/litellm#26853': MESSAGES,
  'BerriAI/litellm#33224': MESSAGES,
  'BerriAI/litellm#32357': MESSAGES,
  'musistudio/claude-code-router#1725': MESSAGES,
  'ollama/ollama#14816': MESSAGES,
  'kittors/CliRelay#739': MESSAGES,
  'router-for-me/CLIProxyAPI#3720': MESSAGES,
  'orangeboyChen/codebuddy2api#11': MESSAGES,
  'maximhq/bifrost#3441': MESSAGES,
  'maximhq/bifrost#4890': MESSAGES,
  'lich0821/ccNexus#89': MESSAGES,
  'BerriAI/litellm#15307': MESSAGES,
  'andrewyng/aisuite#386': MESSAGES,
  'vllm-project/vllm#34053': MESSAGES,
  'BerriAI/litellm#25561': MESSAGES,
  'router-for-me/CLIProxyAPI#5836': MESSAGES,
  'weave-os/router#250': MESSAGES,
  'ENTERPILOT/GoModel#964': MESSAGES,
  'ollama/ollama#15287': MESSAGES,
  // Items of a response's stream.
  'BerriAI/litellm#19368': RESPONSES,
  'BerriAI/litellm#22102': RESPONSES,
  'Oaklight/llm-rosetta#56': RESPONSES,
  'BerriAI/litellm#37852': RESPONSES,
  'BerriAI/litellm#39036': RESPONSES,
  'ogx-ai/ogx#5309': RESPONSES,
  'BerriAI/litellm#32724': RESPONSES,
  'caozhiyuan/copilot-api#242': RESPONSES,
  'kaitranntt/ccs#1402': {
    why: 'A model has one account of a provider so far, so that no sealed reasoning comes to another one; choosing among several is a later step.',
  },
  'lidge-jun/opencodex#2229': RESPONSES,
  'Wei-Shaw/sub2api#3588': RESPONSES,
  'openai/codex#39133': RESPONSES,
  // Tools, their calls and their results in requests.
  'Wei-Shaw/sub2api#3390': TOOLS,
  'router-for-me/CLIProxyAPI#5753': TOOLS,
  'lidge-jun/opencodex#3204': TOOLS,
  'openai/codex#6962': TOOLS,
  'Effect-TS/effect#6702': TOOLS,
  'ogx-ai/ogx#3224': TOOLS,
  'ggml-org/llama.cpp#23542': TOOLS,
  'ericc-ch/copilot-api#241': TOOLS,
  'router-for-me/CLIProxyAPI#121': TOOLS,
  'mozilla-ai/any-llm#1325': TOOLS,
  'maximhq/bifrost#3512': TOOLS,
  'anthropics/claude-code#2485': TOOLS,
  'BerriAI/litellm#34029': TOOLS,
  'jwadow/kiro-gateway#49': TOOLS,
  // Everything else in requests.
  'router-for-me/CLIProxyAPI#3608': REQUESTS,
  'EasyMetaAu/helm-api#166': REQUESTS,
  'looplj/axonhub#1669': REQUESTS,
  'ujisati/claude-code-provider-proxy#11': REQUESTS,
  'openclaw/openclaw#92019': REQUESTS,
  'anthropics/claude-code#21595': REQUESTS,
  'maximhq/bifrost#1479': REQUESTS,
  'experientiallabs/experiential#804': REQUESTS,
  'Wei-Shaw/sub2api#2013': REQUESTS,
  'run-llama/llama_index#19641': REQUESTS,
  'anomalyco/opencode#24722': REQUESTS,
  'Gitlawb/openclaude#739': REQUESTS,
  'gabrii/Cursor-Azure-GPT-5#69': REQUESTS,
  'Th0rgal/sandboxed.sh#389': REQUESTS,
  'maximhq/bifrost#6457': REQUESTS,
  // What Gemini refuses.
  'musistudio/claude-code-router#1431': GEMINI,
  'sipeed/picoclaw#3230': GEMINI,
  'openswarm-ai/openswarm#24': GEMINI,
  'zed-industries/zed#44875': GEMINI,
  'ruvnet/agentic-flow#55': GEMINI,
  'router-for-me/CLIProxyAPI#43': GEMINI,
  'QuantumNous/new-api#1037': GEMINI,
  'microsoft/vscode#299295': GEMINI,
  'lbjlaq/Antigravity-Manager#3396': GEMINI,
  // Counts of tokens.
  'musistudio/claude-code-router#1587': USAGE,
  'vercel/ai#17326': USAGE,
  'envoyproxy/ai-gateway#2290': USAGE,
  'diegosouzapw/OmniRoute#9657': USAGE,
  'router-for-me/CLIProxyAPI#5617': USAGE,
  'Portkey-AI/gateway#1259': USAGE,
  'BerriAI/litellm#37992': USAGE,
  'router-for-me/CLIProxyAPI#4410': {
    file: 'clients/anthropic-sdk.test.ts',
    test: 'is counted by Farebox itself where the provider cannot, and answered after that as before',
  },
  'router-for-me/CLIProxyAPI#679': {
    file: 'provider/tokenizer.test.ts',
    test: 'a coding agent’s conversation with ten tools within 5 % of the published formulas',
  },
  // Clients that leave, errors, and streams that are silent.
  'BerriAI/litellm#14457': HTTP,
  'BerriAI/litellm#39893': HTTP,
  'Wei-Shaw/sub2api#4408': { file: 'gateway/disconnect.test.ts', test: '%s stops the upstream and pays nothing' },
  'musistudio/claude-code-router#1799': HTTP,
  'langchain-ai/open-swe#628': HTTP,
  'langwatch/langwatch#6184': HTTP,
  'Menci/Floway#498': HTTP,
  'BerriAI/litellm#36024': HTTP,
  'kortix-ai/suna#3696': HTTP,
  // Bytes.
  'musistudio/claude-code-router#1672': {
    file: 'dialect/translated-answer.test.ts',
    test: 'reads the same cut at every byte and one byte at a time (musistudio/claude-code-router#1672)',
  },
  'lobehub/lobehub#18640': {
    file: 'dialect/translated-answer.test.ts',
    test: 'reads the same in any pieces and with any line ends (lobehub/lobehub#18640)',
  },
  'BerriAI/litellm#42421': { file: EMBEDDINGS, test: 'the SDK reads the very numbers with its defaults' },
  'ai-forever/gpt2giga#108': { file: EMBEDDINGS, test: 'the wire holds base64 exactly when base64 was asked for' },
}

const HERE = import.meta.dirname
const REFERENCE = /[\w.-]+\/[\w.-]+#\d+/g
/** Where a test's name begins: in a call, or in a row of `it.each`. */
const NAMED = /(?:\bit|\bdescribe|\))\(\s*['"`]([\w.-]+\/[\w.-]+#\d+): |\[\s*'([\w.-]+\/[\w.-]+#\d+): /g

const files = readdirSync(HERE).filter((name) => name.endsWith('.test.ts') && name !== 'index.test.ts')
const read = (...path: string[]) => readFileSync(join(HERE, ...path), 'utf8')

/** The references that the tests of a file are named after. */
function named(file: string): ReadonlySet<string> {
  return new Set(Array.from(read(file).matchAll(NAMED), ([, called, listed]) => called ?? listed ?? ''))
}

describe('a known bug', () => {
  it.each(Object.entries(BUGS))('%s has its test, or a reason why it needs none', (bug, place) => {
    expect(bug).toMatch(new RegExp(`^${REFERENCE.source}$`))
    if (typeof place === 'string') expect(named(place)).toContain(bug)
    else if ('file' in place) expect(read('..', place.file)).toContain(place.test)
    else expect(place.why).toMatch(/\.$/)
  })

  it('stands in the table if a test is named after it', () => {
    for (const file of files) {
      const missing = [...named(file)].filter((bug) => typeof BUGS[bug] !== 'string')
      expect([file, missing]).toEqual([file, []])
    }
  })

  it('is not mentioned but in the name of a test', () => {
    for (const file of files) {
      const mentioned = read(file).match(REFERENCE) ?? []
      expect([file, mentioned.filter((bug) => !named(file).has(bug))]).toEqual([file, []])
    }
  })

  it('is one of 92', () => {
    expect(Object.keys(BUGS)).toHaveLength(92)
  })
})
