// Surveys what a request brings for its model to read, so that a hold can be made for the most that it can come to. The tables
// say which members and kinds of content are text, in all client formats at once: providers take more of each other's kinds than they
// document. What is in no table is a reference, because what is unknown must never be cheap: a new member or kind that is only
// text needs its name here.

import { geminiContent, geminiContents, isGeminiTool, readGeminiTool } from '#dialect/gemini/input-rules.ts'
import { isRecord } from '#dialect/request-body.ts'
import { isOwnItemId } from '#dialect/responses/response-object.ts'
import { functions, isImageType, json, refersTo, rules, scalar } from '#dialect/survey-rules.ts'
import { isNothing, shown, Survey, type Rule, type Rules } from '#dialect/survey.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Longer than the head of any data URL that a provider takes. */
const MAX_HEAD_LENGTH = 256
/** Tools that the client itself runs. */
const CLIENT_TOOLS = new Set<unknown>([undefined, 'function', 'custom', 'local_shell', 'namespace', 'apply_patch'])
/** Those of Anthropic's tools that the client runs. */
const DATED_CLIENT_TOOL = /^(?:bash|text_editor|memory)_\d{8}$/

/** Linear in the number of the request's values. */
export function surveyInput(body: JsonObject): Survey {
  const survey = new Survey()
  survey.members(body, ROOT)
  return survey
}

/** A text, or parts. */
const content: Rule = (survey, value) => {
  if (Array.isArray(value)) for (const part of value) readPart(survey, part)
  else if (isRecord(value)) readPart(survey, value)
}

/** What a tool gave back: a text, parts, or an object that is given to the model as its JSON. */
const output: Rule = (survey, value, object) => {
  if (isRecord(value) && value['type'] === undefined) survey.json(value)
  else content(survey, value, object)
}

const calls: Rule = (survey, value, object) => {
  if (!Array.isArray(value)) return scalar(survey, value, object)
  for (const call of value) {
    const isOwn = isRecord(call) && CLIENT_TOOLS.has(call['type'])
    if (isOwn) survey.members(call, TOOL_CALL)
    else survey.reference('a call of a hosted tool')
  }
}

const tools: Rule = (survey, value, object) => {
  if (!Array.isArray(value)) return scalar(survey, value, object)
  for (const tool of value) if (isRecord(tool)) readTool(survey, tool)
}

/** An image as chat completions and responses give it: a data URL, or an object that has one. */
const imageUrl: Rule = (survey, value, object) => {
  if (isRecord(value)) return survey.members(value, IMAGE_URL)
  if (typeof value !== 'string' || value === '') return scalar(survey, value, object)
  const head = /^data:image\/[^,]*;base64,/i.exec(value.slice(0, MAX_HEAD_LENGTH))?.[0]
  if (head !== undefined) return survey.image(value.slice(head.length))
  survey.reference(/^data:/i.test(value) ? 'an embedded document' : 'an image by its address')
}

const imageSource: Rule = (survey, value) => {
  if (!isRecord(value)) return survey.reference('an image')
  const { type, data, ...others } = value
  if (type !== 'base64' || typeof data !== 'string') {
    return survey.reference(type === 'file' ? 'a file by its id' : 'an image by its address')
  }
  if (!isImageType(value['media_type'])) return survey.reference('an embedded document')
  survey.image(data)
  survey.members(others, SOURCE)
}

const documentSource: Rule = (survey, value) => {
  if (!isRecord(value)) return survey.reference('a document')
  const { type } = value
  if (type === 'text' || type === 'content') return survey.members(value, SOURCE)
  if (type === 'file') survey.reference('a file by its id')
  else survey.reference(type === 'base64' ? 'an embedded document' : 'a document by its address')
}

/** A file's data: text counts by its bytes, all else is pages. */
const fileData: Rule = (survey, value) => {
  const isText = typeof value === 'string' && /^data:text\/[^,]*,/i.test(value.slice(0, MAX_HEAD_LENGTH))
  if (!isText && !isNothing(value)) survey.reference('an embedded document')
}

const fileObject: Rule = (survey, value) => {
  if (isRecord(value)) survey.members(value, FILE)
  else if (!isNothing(value)) survey.reference('a file by its id')
}

/** An edit that only clears adds nothing. A summary is made of all that the server has. */
const contextManagement: Rule = (survey, value) => {
  const edits = isRecord(value) && Object.keys(value).length === 1 ? value['edits'] : undefined
  const isClearing = Array.isArray(edits) && edits.every((edit) => isRecord(edit) && isClear(edit['type']))
  if (!isClearing && !isNothing(value)) survey.reference("the member 'context_management'")
}

/** A template of the client's own could repeat what it is given as often as it likes. */
const templateArguments: Rule = (survey, value, object) => {
  if (isRecord(value)) survey.members(value, TEMPLATE_ARGUMENTS)
  else scalar(survey, value, object)
}

function isClear(type: unknown): boolean {
  return typeof type === 'string' && type.startsWith('clear_')
}

/** Members that may stand in anything. */
const COMMON = [
  [scalar, 'type id role name status index phase text refusal title context is_error'],
  [json, 'cache_control cache annotations citations logprobs extra_content'],
] as const

const ROOT = rules(
  {
    messages: content,
    input: content,
    system: content,
    instructions: content,
    tools,
    functions,
    contents: geminiContents,
    systemInstruction: geminiContent,
    system_instruction: geminiContent,
    context_management: contextManagement,
    chat_template_kwargs: templateArguments,
    prompt: refersTo('a stored prompt'),
    container: refersTo('a container'),
    web_search_options: refersTo('a hosted tool (web_search_options)'),
  },
  [refersTo('previous_response_id'), 'previous_response_id'],
  [refersTo('conversation'), 'conversation'],
  [refersTo('thread'), 'thread'],
  [refersTo('mcp_servers'), 'mcp_servers'],
  [refersTo('stored content'), 'cachedContent cached_content'],
  [scalar, 'model stream user store seed n temperature top_p top_k min_p top_a typical_p'],
  [scalar, 'max_tokens max_completion_tokens max_output_tokens min_tokens frequency_penalty presence_penalty'],
  [scalar, 'repetition_penalty repeat_penalty length_penalty top_logprobs parallel_tool_calls background'],
  [scalar, 'service_tier safety_identifier prompt_cache_key prompt_cache_retention reasoning_effort verbosity'],
  [scalar, 'truncation include_reasoning enable_thinking thinking_budget random_seed safe_prompt ignore_eos'],
  [scalar, 'skip_special_tokens cache_prompt keep_alive think reasoning_format reasoning_split tool_stream'],
  [scalar, 'max_tool_calls inference_geo speed encoding_format dimensions input_type truncate'],
  [json, 'stream_options response_format logit_bias logprobs metadata modalities audio thinking reasoning'],
  [json, 'output_config output_format text tool_choice function_call stop stop_sequences include provider'],
  [json, 'transforms usage moderation prompt_cache_options cache_control betas'],
  [json, 'generationConfig generation_config toolConfig tool_config safetySettings safety_settings labels'],
  [json, 'anthropic_beta client_metadata diagnostics prediction structured_outputs'],
)

const TEMPLATE_ARGUMENTS = rules({}, [
  scalar,
  'enable_thinking thinking thinking_budget reasoning_effort preserve_thinking clear_thinking add_vision_id',
])

const MESSAGE = rules(
  { content, tool_calls: calls, function_call: json, reasoning_details: json },
  ...COMMON,
  [scalar, 'tool_call_id tool_name reasoning reasoning_content thinking prefix partial'],
  [refersTo('an earlier answer by its id'), 'audio'],
)

const TOOL_CALL = rules({}, ...COMMON, [scalar, 'arguments input'], [json, 'function custom'])

const TEXT = rules({ thinking: content }, ...COMMON, [scalar, 'signature data'])

/** Calls, their results, and what stands beside them in a conversation's history. */
const ITEM = rules(
  { output, content: output, tools, summary: content },
  ...COMMON,
  [scalar, 'call_id tool_use_id tool_name namespace execution source max_output_length encrypted_content'],
  [json, 'input arguments action operation caller'],
)

const IMAGE = rules({ source: imageSource, image_url: imageUrl, file_id: refersTo('a file by its id') }, ...COMMON, [
  scalar,
  'detail',
])

const FILE = rules(
  { source: documentSource, file_data: fileData, file_id: refersTo('a file by its id') },
  ...COMMON,
  [refersTo('a file by its address'), 'file_url'],
  [scalar, 'filename detail format'],
)

const FILE_PART = rules({ file: fileObject }, ...COMMON)

const IMAGE_URL = rules({ url: imageUrl }, [scalar, 'detail format'])

const SOURCE = rules({ content }, [scalar, 'type media_type data'])

const TOOL = rules(
  { tools },
  [scalar, 'type name description strict defer_loading eager_input_streaming execution max_characters'],
  [json, 'function custom parameters input_schema output_schema format cache_control allowed_callers input_examples'],
)

/** Kinds of content, by their type; what has none is a message. */
const PARTS: ReadonlyMap<unknown, Rules> = kinds([
  [MESSAGE, 'message'],
  [TEXT, 'text input_text output_text refusal thinking redacted_thinking summary_text reasoning_text'],
  [ITEM, 'tool_use tool_result tool_reference search_result reasoning compaction function_call function_call_output'],
  [ITEM, 'custom_tool_call custom_tool_call_output local_shell_call local_shell_call_output tool_search_call'],
  [ITEM, 'tool_search_output apply_patch_call apply_patch_call_output'],
  [IMAGE, 'image image_url input_image'],
  [FILE, 'document input_file'],
  [FILE_PART, 'file'],
])

function kinds(lists: readonly (readonly [Rules, string])[]): ReadonlyMap<unknown, Rules> {
  const named = lists.flatMap(([table, types]) => types.split(' ').map((type) => [type, table] as const))
  return new Map<unknown, Rules>([[undefined, MESSAGE], ...named])
}

function readPart(survey: Survey, part: unknown): void {
  if (!isRecord(part)) {
    if (Array.isArray(part)) survey.reference('content of an unknown kind')
    return
  }
  const { type } = part
  const known = PARTS.get(type)
  if (known === undefined) return survey.reference(`content of the type '${shown(type)}'`)
  if (isStored(part, known)) survey.reference('an item by its id')
  survey.members(part, known)
}

/**
 * Providers look up items that are named and not sent: what has no type and no role, and reasoning without what seals it. Reasoning that
 * was told in an answer written here is known to none of them.
 */
function isStored(part: JsonObject, known: Rules): boolean {
  if (known === MESSAGE) return part['role'] === undefined
  const { type, id, encrypted_content: seal } = part
  return type === 'reasoning' && !isNothing(id) && isNothing(seal) && !isOwnItemId(id)
}

function readTool(survey: Survey, tool: JsonObject): void {
  if (isGeminiTool(tool)) return readGeminiTool(survey, tool)
  const { type } = tool
  survey.toolCount += 1
  const isDated = typeof type === 'string' && DATED_CLIENT_TOOL.test(type)
  const isSearch = type === 'tool_search' && tool['execution'] === 'client'
  if (!CLIENT_TOOLS.has(type) && !isDated && !isSearch) return survey.reference(`a hosted tool (${shown(type)})`)
  survey.members(tool, TOOL)
  // An empty object can ask for a tool of Google's, whatever stands beside it.
  for (const name in tool) {
    if (!TOOL.has(name) && (tool[name] ?? null) !== null) survey.reference(`a hosted tool (${shown(name)})`)
  }
}
