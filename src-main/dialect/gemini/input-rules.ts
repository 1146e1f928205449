// What a request in the Gemini format brings for its model to read: the rules for its contents and tools. What is in no table is a reference.

import { camelOf, field } from '#dialect/gemini/fields.ts'
import { isRecord } from '#dialect/request-body.ts'
import { eachRecord, functions, isImageType, json, refersTo, rules, scalar } from '#dialect/survey-rules.ts'
import { shown, Survey, type Rule, type Rules } from '#dialect/survey.ts'
import type { JsonObject } from '#dialect/turn.ts'

const FUNCTIONS = 'functionDeclarations'

const inlineData: Rule = (survey, value, object) => {
  if (!isRecord(value)) return scalar(survey, value, object)
  const { data } = value
  const type = field(value, 'mimeType')
  if (isImageType(type) && typeof data === 'string') survey.image(data)
  else if (!(typeof type === 'string' && /^text\//i.test(type))) survey.reference('an embedded document')
}

const parts: Rule = (survey, value, object) => {
  if (!Array.isArray(value)) return scalar(survey, value, object)
  eachRecord(value, (part) => survey.members(part, PART))
}

const functionResponse: Rule = (survey, value, object) => {
  if (isRecord(value)) survey.members(value, RESPONSE)
  else scalar(survey, value, object)
}

const RESPONSE = rules({ response: json, parts }, [scalar, 'id name scheduling willContinue will_continue'])

const PART = rules(
  { inlineData, inline_data: inlineData, functionResponse, function_response: functionResponse },
  [scalar, 'text thought thoughtSignature thought_signature'],
  [json, 'functionCall function_call executableCode executable_code codeExecutionResult code_execution_result'],
  [json, 'toolCall tool_call toolResponse tool_response mediaResolution media_resolution partMetadata part_metadata'],
  [refersTo('a file by its address'), 'fileData file_data'],
)

const CONTENT = rules({ parts }, [scalar, 'role'])

/** One content, as instructions are. */
export const geminiContent: Rule = (survey, value, object) => {
  if (isRecord(value)) survey.members(value, CONTENT)
  else scalar(survey, value, object)
}

export const geminiContents: Rule = (survey, value, object) => {
  if (!Array.isArray(value)) return geminiContent(survey, value, object)
  eachRecord(value, (content) => survey.members(content, CONTENT))
}

/** What makes the input of embeddings larger than their request, in words: anything but texts. */
export function embeddingReferences(value: JsonObject): readonly string[] {
  const survey = new Survey()
  survey.members(value, EMBEDDINGS)
  return survey.references
}

const embeddedParts: Rule = (survey, value, object) => {
  if (!Array.isArray(value)) return scalar(survey, value, object)
  eachRecord(value, (part) => survey.members(part, EMBEDDED_PART))
}

const EMBEDDED_PART = rules({}, [scalar, 'text'], [refersTo('media'), 'inlineData inline_data fileData file_data'])

const EMBEDDED = rules({ parts: embeddedParts }, [scalar, 'role'])

const embeddedContent: Rule = (survey, value, object) => {
  if (isRecord(value)) survey.members(value, EMBEDDED)
  else scalar(survey, value, object)
}

const EMBEDDINGS: Rules = rules(
  {
    content: embeddedContent,
    requests: (survey, value) => eachRecord(value, (request) => survey.members(request, EMBEDDINGS)),
  },
  [scalar, 'model taskType task_type title outputDimensionality output_dimensionality'],
  [json, 'embedContentConfig embed_content_config'],
)

/** Tools of other formats have a type, a name or a function; those of Gemini are named by a member. */
export function isGeminiTool(tool: JsonObject): boolean {
  return tool['type'] === undefined && tool['name'] === undefined && tool['function'] === undefined
}

/** A member that is an empty object asks for a tool that Google runs, so that being there is enough. */
export function readGeminiTool(survey: Survey, tool: JsonObject): void {
  for (const [name, value] of Object.entries(tool)) {
    if (value === undefined || value === null) continue
    if (camelOf(name) === FUNCTIONS) functions(survey, value, tool)
    else survey.reference(`a hosted tool (${shown(name)})`)
  }
}
