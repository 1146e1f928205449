// Before any test that starts gateways: what they run of the build is of the sources of now.

import { build } from './built.ts'

export function setup(): void {
  build('main')
}
