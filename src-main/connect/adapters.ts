// Every tool that Farebox knows, in the order in which they are shown.

import type { Adapter } from '#connect/adapter.ts'
import { AIDER } from '#connect/adapters/aider.ts'
import { CLAUDE_CODE_VSCODE } from '#connect/adapters/claude-code-vscode.ts'
import { CLAUDE_CODE } from '#connect/adapters/claude-code.ts'
import { CLINE } from '#connect/adapters/cline.ts'
import { CODEX } from '#connect/adapters/codex.ts'
import { CONTINUE } from '#connect/adapters/continue.ts'
import { COPILOT_CLI } from '#connect/adapters/copilot-cli.ts'
import { CRUSH } from '#connect/adapters/crush.ts'
import { DROID } from '#connect/adapters/droid.ts'
import { GEMINI_CLI } from '#connect/adapters/gemini-cli.ts'
import { GOOSE } from '#connect/adapters/goose.ts'
import { GROK } from '#connect/adapters/grok.ts'
import { CURSOR, JETBRAINS, OPEN_WEBUI } from '#connect/adapters/guides.ts'
import { KILO } from '#connect/adapters/kilo.ts'
import { KIMI } from '#connect/adapters/kimi.ts'
import { OPENCODE } from '#connect/adapters/opencode.ts'
import { PI } from '#connect/adapters/pi.ts'
import { QWEN_CODE } from '#connect/adapters/qwen-code.ts'
import { VSCODE_CHAT } from '#connect/adapters/vscode-chat.ts'
import { ZED } from '#connect/adapters/zed.ts'

export const ADAPTERS: readonly Adapter[] = [
  CLAUDE_CODE,
  CLAUDE_CODE_VSCODE,
  CODEX,
  OPENCODE,
  GEMINI_CLI,
  QWEN_CODE,
  VSCODE_CHAT,
  COPILOT_CLI,
  CLINE,
  ZED,
  CRUSH,
  GOOSE,
  AIDER,
  CONTINUE,
  KILO,
  PI,
  DROID,
  GROK,
  KIMI,
  JETBRAINS,
  OPEN_WEBUI,
  CURSOR,
]

export function adapterOf(tool: string): Adapter | undefined {
  return ADAPTERS.find((adapter) => adapter.tool === tool)
}
