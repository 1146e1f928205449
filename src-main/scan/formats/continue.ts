import { tokenCount } from '#core/usage.ts'
import { textOf, timeOf, type LogFormat } from '#scan/log-format.ts'

/** It writes down what it counted itself of each call, completions in the editor among them. No line says for which project. */
export const CONTINUE_LOGS: LogFormat = {
  tool: 'continue',
  places: ['$CONTINUE_GLOBAL_DIR/dev_data', '~/.continue/dev_data'],
  isLog: (path) => /^[\d.]+\/tokensGenerated\.jsonl$/.test(path),
  mayHold: (path) => !path.includes('/'),
  marks: ['"generatedTokens"'],
  open: async () => (line) => ({
    id: undefined,
    atMs: timeOf(line['timestamp'] ?? line['createdAt']),
    model: textOf(line['model']) ?? 'unknown',
    project: '',
    usage: {
      inputTokens: tokenCount(line['promptTokens']),
      cacheReadTokens: undefined,
      cacheWriteTokens: undefined,
      outputTokens: tokenCount(line['generatedTokens']),
      reasoningTokens: undefined,
    },
  }),
}
