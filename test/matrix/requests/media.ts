// Small files of the kinds that clients send. They are real ones, so that whoever looks into them finds what they say.

/** A picture of one pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
/** The beginning and the end of a PDF. */
export const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n').toString(
  'base64',
)
/** A sound without samples. */
export const WAV = Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt ').toString('base64')
export const IMAGE_URL = 'https://images.example/bern.jpg'

export const WEATHER_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string', description: 'Name of the city' }, unit: { type: 'string', enum: ['C', 'F'] } },
  required: ['city'],
  additionalProperties: false,
}
export const ANSWER_SCHEMA = {
  type: 'object',
  properties: { sunny: { type: 'boolean' }, degrees: { type: 'number', minimum: -90, maximum: 60 } },
  required: ['sunny', 'degrees'],
  additionalProperties: false,
}
/** As the names of tools of MCP servers get. */
export const LONG_NAME = `mcp__claude_ai_Example_Workspace_Connector__${'search_'.repeat(6)}documents`
