import { describe, expect, it } from 'vitest'
import { superLinearPart } from './regex-growth.ts'

/** Each with a text of which twice as much takes four times as long, or longer, as Node 24 was seen to take. */
const SLOW: readonly RegExp[] = [
  /(a*)*b/,
  /(?:a|aa)+b/,
  /(?:a?b?)*c/,
  /^(?:a|a)*$/,
  /a*a*b/,
  /^\s*0*\s*$/,
  /0+$/,
  /\?.*$/,
  /\B(?=(?:\d{3})+$)/g,
  /(\/v\d\w*)(\/v\d\w*)+$/,
  /<input\b[^>]*\btype\s*=\s*["']?password/i,
  /\[secret\]|\bsk-[^\s"',]*|[\w*.:-]*\d[\w*.:-]*/g,
  /(?<=(?:^|[^\\])(?:\\\\)*)\\u0000/g,
  /^(["'])(.*)\1.*$/,
  /^(?:\*?\.)?(\[[^\]]*\]|[^:]*|.*::.*)(?::(\d+))?$/,
  /(\d+)\.(\d+)/,
  /(\d[\d,]*) maximum context length/i,
  /'(?:[^']|'')*'|\/\*[^]*?\*\/|[^]/g,
  /^(.*)\{([^}]*)\}(.*)$/,
  /[ \t]*(?:[ \t]#.*)?\r?\n?$/,
  /([^/\\]+)\.gguf$/i,
  / *\([^)]*\)$/,
  /(?=a*b)/,
  /^\s*x/gm,
  /\p{L}+\d/u,
  /a{2,}b/,
  /(?:x+y)?/g,
]

const LINEAR: readonly RegExp[] = [
  /a*/,
  /a+b?/,
  /(?<!0)0+$/,
  /^\s*0*$/,
  /^(?:ab)*$/,
  /\?.*$/s,
  /[^]*$/,
  /a{0,500}b/,
  /^[^{]*\{([^}]*)\}(.*)$/,
  /<input\b[^<>]*\btype\s*=\s*["']?password/i,
  /(?<![^/\\])([^/\\]+)\.gguf$/i,
  /;(?=["\s]*=)/g,
  /^form-data(?=[ \t]*(?:;|$))/i,
  /^-?(?:\d+|\d{1,3}(?:([.,'])\d{3})(?:\1\d{3})*)(?:[.,]\d+)?$/,
  /"([^"]*(?:""[^"]*)*)"/y,
  /\b[a-z]+\b/g,
  /(?:^|\n)a+/,
  /^ *x/gm,
]

describe('the growth of a regular expression', () => {
  it.each(SLOW)('%s is super-linear', ({ source, flags }) => {
    expect(superLinearPart(source, flags)).toBeDefined()
  })

  it.each(LINEAR)('%s is linear', ({ source, flags }) => {
    expect(superLinearPart(source, flags)).toBeUndefined()
  })
})
