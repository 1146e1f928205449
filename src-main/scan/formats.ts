// The log formats of all tools, one file each.

import { CLAUDE_CODE_LOGS } from '#scan/formats/claude-code.ts'
import { CLINE_LOGS } from '#scan/formats/cline.ts'
import { codexLogs } from '#scan/formats/codex.ts'
import { CONTINUE_LOGS } from '#scan/formats/continue.ts'
import { COPILOT_LOGS } from '#scan/formats/copilot-cli.ts'
import { DROID_LOGS } from '#scan/formats/droid.ts'
import { GEMINI_DOCUMENTS, GEMINI_LOGS, QWEN_LOGS } from '#scan/formats/gemini.ts'
import { GOOSE_LOGS } from '#scan/formats/goose.ts'
import { GROK_LOGS } from '#scan/formats/grok.ts'
import { KIMI_LOGS } from '#scan/formats/kimi.ts'
import { KILO_LOGS, OPENCODE_LOGS } from '#scan/formats/opencode.ts'
import { PI_LOGS } from '#scan/formats/pi.ts'
import { TASK_LOGS } from '#scan/formats/tasks.ts'
import { ZED_LOGS } from '#scan/formats/zed.ts'
import type { LogFormat } from '#scan/log-format.ts'

/** For one scan: that of Codex remembers what it has read. */
export function logFormats(): readonly LogFormat[] {
  return [
    CLAUDE_CODE_LOGS,
    codexLogs(),
    ...OPENCODE_LOGS,
    GEMINI_LOGS,
    GEMINI_DOCUMENTS,
    QWEN_LOGS,
    COPILOT_LOGS,
    CLINE_LOGS,
    ...TASK_LOGS,
    KILO_LOGS,
    ...GOOSE_LOGS,
    PI_LOGS,
    DROID_LOGS,
    KIMI_LOGS,
    GROK_LOGS,
    CONTINUE_LOGS,
    ...ZED_LOGS,
  ]
}
