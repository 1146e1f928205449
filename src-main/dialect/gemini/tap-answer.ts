// What a whole answer in the Gemini format says, for passing it on.

import { geminiErrorOf, reportedFailure } from '#dialect/gemini/errors.ts'
import { isBlocked } from '#dialect/gemini/finish-reasons.ts'
import { addBeside, addGeneratedCandidate } from '#dialect/gemini/measure.ts'
import { noCandidates } from '#dialect/gemini/read-answer.ts'
import { readGeminiUsage } from '#dialect/gemini/usage.ts'
import { AsideMembers } from '#dialect/output-rules.ts'
import type { AnswerTap } from '#dialect/pass-answer.ts'

export const GEMINI_ANSWER_TAP: AnswerTap = {
  encoding: 'latin1',
  read(answer, generated, inWords) {
    if (geminiErrorOf(answer) !== undefined) throw reportedFailure(inWords())
    const { candidates } = answer
    const hasCandidates = Array.isArray(candidates) && candidates.length > 0
    if (!hasCandidates && !isBlocked(answer)) {
      throw noCandidates(answer)
    }
    if (hasCandidates) for (const candidate of candidates) addGeneratedCandidate(generated, candidate)
    addBeside(new AsideMembers(generated), answer)
    return readGeminiUsage(answer['usageMetadata'])
  },
}
