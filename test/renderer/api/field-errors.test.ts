import { describe, expect, it } from 'vitest'
import { ApiError } from '#renderer/api/client.ts'
import { errorAt, errorBeside, isUncertain } from '#renderer/api/field-errors.ts'

const about = (param?: string) => new ApiError(400, '400', 'Not like this.', param === undefined ? {} : { param })

describe('a refusal', () => {
  it('is shown at the field that it names, also by a path', () => {
    expect(errorAt(about('name'), 'name')).toBe('Not like this.')
    expect(errorAt(about('limits.tokens_per_minute'), 'tokens_per_minute')).toBe('Not like this.')
    expect(errorAt(about('packages.3'), 'packages')).toBe('Not like this.')
    expect(errorAt(about('name'), 'owner')).toBeUndefined()
    expect(errorAt(null, 'name')).toBeUndefined()
  })

  it('is shown at the form where it names none of its fields, and never lost', () => {
    expect(errorBeside(about(), ['name'])).toBe('Not like this.')
    expect(errorBeside(about('other'), ['name'])).toBe('Not like this.')
    expect(errorBeside(about('name'), ['name'])).toBeUndefined()
    expect(errorBeside(new Error('Broken.'), ['name'])).toBe('Broken.')
    expect(errorBeside(null, ['name'])).toBeUndefined()
  })

  it('leaves no doubt whether something was done; silence and a failing server do', () => {
    expect(isUncertain(about())).toBe(false)
    expect(isUncertain(new ApiError(0, 'no_answer', 'Nothing.'))).toBe(true)
    expect(isUncertain(new ApiError(503, '503', 'Full.'))).toBe(true)
    expect(isUncertain(null)).toBe(false)
  })
})
