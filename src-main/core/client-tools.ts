// Which tool a client is, as data: by the first word of its user agent, which the tool's developers can change. The ids are those by
// which tools are connected. Whoever is not in the table is called by that word itself.

/** Headers of a client, by their names in small letters. */
export type SentHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Words in small letters. */
const TOOLS: Readonly<Record<string, string>> = {
  aider: 'aider',
  cline: 'cline',
  codex_cli_rs: 'codex',
  codex_exec: 'codex',
  codex_vscode: 'codex',
  'codex-tui': 'codex',
  continue: 'continue',
  'charm-crush': 'crush',
  crush: 'crush',
  copilot: 'copilot-cli',
  cursor: 'cursor',
  'factory-cli': 'droid',
  geminicli: 'gemini-cli',
  githubcopilotchat: 'vscode-chat',
  goose: 'goose',
  grok: 'grok',
  'kilo-code': 'kilo',
  kimicli: 'kimi',
  opencode: 'opencode',
  openwebui: 'open-webui',
  pi: 'pi',
  qwencode: 'qwen-code',
  zed: 'zed',
}

/** Other tools send its user agent too, but never the header that numbers its sessions. */
const CLAUDE_CODE = { agent: 'claude-cli', tool: 'claude-code', session: 'x-claude-code-session-id' }

const WORD = /^[a-z0-9][a-z0-9._-]{0,31}/

/** `isKnown`: whether the word is in the table, of which there are few. */
export type ClientTool = { readonly tool: string; readonly isKnown: boolean }

/** What a client says that it is; undefined where it says nothing that can be shown. */
export function clientTool(headers: SentHeaders): ClientTool | undefined {
  const { 'user-agent': agent } = headers
  const word = typeof agent === 'string' ? WORD.exec(agent.slice(0, 32).toLowerCase())?.[0] : undefined
  if (word === undefined) return undefined
  if (word === CLAUDE_CODE.agent && headers[CLAUDE_CODE.session] !== undefined) {
    return { tool: CLAUDE_CODE.tool, isKnown: true }
  }
  const known = Object.hasOwn(TOOLS, word) ? TOOLS[word] : undefined
  return known === undefined ? { tool: word, isKnown: false } : { tool: known, isKnown: true }
}

/** Where tools say in which of their sessions a call was made, the most particular first. */
export const SESSION_HEADERS = [
  CLAUDE_CODE.session,
  'x-opencode-session',
  'session-id',
  'session_id',
  'x-session-id',
] as const
