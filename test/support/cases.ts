// How much a test tries: few cases in `npm test`, more in CI (`npm run test:all`, or a file that is named), and as many as anybody waits
// for with FAREBOX_LONG_TESTS.

/** Whether as many are tried as anybody waits for. */
export const isLong = process.env['FAREBOX_LONG_TESTS'] !== undefined
const IS_ALL = process.env['FAREBOX_ALL_TESTS'] !== undefined

export function cases<Value>(few: Value, all: Value, long: Value): Value {
  if (isLong) return long
  return IS_ALL ? all : few
}
